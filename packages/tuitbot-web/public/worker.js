// Shows notifications, also on phones, where a page cannot. It stores nothing and answers no request.
addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function open({ path, address }) {
  const pages = await clients.matchAll({ type: "window" });
  const page = pages.find(({ url }) => new URL(url).pathname === path);
  if (page === undefined) return clients.openWindow(path + address);
  page.postMessage(address);
  return page.focus();
}
