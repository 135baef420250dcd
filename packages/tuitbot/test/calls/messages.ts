import { badInput, none, notFound, removed, type ToolCall } from "./tool-call.ts";

export const messagesCalls: Readonly<Record<string, ToolCall>> = {
  x_v2_dm_conversations: { args: none, failures: [removed] },
  x_v2_dm_conversation_by_id: {
    args: ({ conversation }) => ({ id: conversation }),
    failures: [{ ...removed, args: ({ conversation }) => ({ id: conversation }) }],
  },
  x_v2_dm_events: { args: none },
  x_v2_dm_events_by_conversation: {
    args: ({ conversation }) => ({ id: conversation }),
    failures: [badInput("no conversation", () => ({ id: "with a friend" }))],
  },
  x_v2_dm_events_by_participant: { args: () => ({ participant_id: "@sandbox_friend" }) },
  x_v2_dm_send_in_conversation: {
    args: ({ conversation }) => ({ id: conversation, text: "Hello again." }),
    failures: [
      notFound(() => ({ id: "1-2", text: "Hello?" })),
      badInput("nothing", () => ({ id: "1-2", text: "" })),
    ],
  },
  x_v2_dm_send_to_participant: {
    args: () => ({ participant_id: "@sandbox_friend", text: "Hello." }),
    failures: [
      notFound(() => ({ participant_id: "1", text: "Hello?" })),
      {
        what: "who takes no messages",
        args: ({ stranger }) => ({ participant_id: stranger, text: "Hello?" }),
        code: "x_forbidden",
        asksX: true,
      },
    ],
  },
  x_v2_dm_create_group: {
    args: ({ sandbox, friend }) => {
      const other = [...sandbox.world.people.values()].find(
        ({ id, opensDms, accountStatus }) => opensDms && accountStatus === "active" && id !== friend,
      );
      return { participant_ids: `${friend},${other?.id}`, text: "Hello, all." };
    },
    failures: [
      notFound(({ friend }) => ({ participant_ids: `${friend},1`, text: "Hello?" })),
      badInput("one person", ({ friend }) => ({ participant_ids: friend, text: "Hello?" })),
    ],
  },
};
