// Shows the board, which the service sends whole whenever it has changed.
const byId = (id) => document.getElementById(id);
const money = (cents) => (cents / 100).toLocaleString(undefined, { style: "currency", currency: "EUR" });
const count = (number) => number.toLocaleString();

const element = (name, text, className = "") =>
  Object.assign(document.createElement(name), { textContent: text, className });

function row(order) {
  const line = element("li", "");
  const stage = order.reason ? `${order.stage}: ${order.reason}` : order.stage;
  line.append(
    element("span", `#${order.id}`, "number"),
    element("span", `${order.quantity} × ${order.item}`),
    element("span", stage, `stage ${order.stage}`));
  return line;
}

let previous;
function rate(accepted) {
  const now = performance.now();
  if (previous && now - previous.now < 1000) return;
  if (previous) {
    const perSecond = ((accepted - previous.accepted) * 1000) / (now - previous.now);
    byId("rate").textContent = count(Math.round(perSecond));
  }
  previous = { now, accepted };
}

function show(board) {
  const { counts, stages } = board;
  const open = counts.accepted - counts.done - counts.undone - counts.stuck;
  rate(counts.accepted);
  byId("accepted").textContent = count(counts.accepted);
  byId("open").textContent = count(open);
  byId("done").textContent = count(counts.done);
  byId("undone").textContent = count(counts.undone + counts.stuck);
  byId("balance").textContent = money(board.captured - board.refunded);
  for (const step of byId("pipeline").children) {
    const here = stages[step.dataset.stage] ?? 0;
    step.querySelector("b").textContent = count(here);
    step.style.setProperty("--share", open ? here / open : 0);
  }
  byId("open-list").replaceChildren(...board.open.map(row));
  byId("newest").replaceChildren(...board.newest.map(row));
  const items = Object.keys(board.stock).sort();
  byId("stock").replaceChildren(...items.map((item) => {
    const line = element("li", item);
    line.append(element("b", count(board.stock[item])));
    return line;
  }));
  if (!byId("items").options.length) byId("items").append(...items.map((item) => new Option(item, item)));
}

const events = new EventSource("events");
events.onopen = () => Object.assign(byId("connection"), { textContent: "live", className: "online" });
events.onerror = () => Object.assign(byId("connection"), { textContent: "reconnecting", className: "offline" });
events.onmessage = (event) => show(JSON.parse(event.data));

byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  const body = JSON.stringify({ item: form.get("item"), quantity: Number(form.get("quantity")) });
  try {
    const response = await fetch("orders", { method: "POST", body });
    const answer = await response.json();
    const refusal = answer.error?.message ?? response.statusText;
    byId("answer").textContent = response.ok ? `Accepted as #${answer.id}.` : refusal;
  } catch (error) {
    byId("answer").textContent = error.message;
  }
});
