/** The part of the page, which is loaded when it opens and after each decision. */
export const RULES_SECTION =
  '<section id="rules" hidden><h2>Rules that your decisions propose</h2><p class="hint">None applies until you accept it.</p><div class="list"></div></section>';

export const RULES_SCRIPT = `
function proposal(one) {
  const box = make("article", undefined, "proposal");
  const [sentence, ...others] = one.lines;
  box.append(make("p", sentence), ...others.map((line) => make("p", line, "meta")));
  const fold = make("details");
  fold.append(make("summary", "The " + one.examples.length + " decisions"), ...one.examples.map((line) => make("p", line, "value")));
  const said = make("p", "", "said");
  said.setAttribute("role", "alert");
  const button = make("button", one.does === "deny" ? "Deny these calls" : "Allow these calls", one.does === "deny" ? "stop" : "go");
  button.addEventListener("click", async () => {
    button.disabled = true;
    const problem = await post("/rules", { source: one.source, item: one.item, when: one.when }).catch(() => "The gate cannot be reached.");
    if (problem === undefined) return loadRules();
    said.textContent = problem;
    button.disabled = false;
  });
  box.append(fold, button, said);
  return box;
}
async function loadRules() {
  const response = await fetch("/rules");
  if (!response.ok) return;
  const { proposals, suspended } = await response.json();
  $("rules").hidden = proposals.length + suspended.length === 0;
  $("rules").querySelector(".list").replaceChildren(...suspended.map((line) => make("p", line, "value")), ...proposals.map(proposal));
}
`;
