// Shows notifications, also on phones, where a page cannot. It stores nothing and answers no request.
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.address));
});

async function open(address) {
  const [page] = await clients.matchAll({ type: "window" });
  if (page === undefined) return clients.openWindow(`/${address}`);
  page.postMessage(address);
  return page.focus();
}
