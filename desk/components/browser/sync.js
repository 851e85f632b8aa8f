// The line to the server; the list takes it up by its key. See `lineOf` in outbox.js.

export default function ({ data, setTriggerValue }) {
  window.presortLines ??= {};
  const line = (window.presortLines[data.list] ??= {});
  line.send = (message) => setTriggerValue("sent", message);
  line.reply = data;
  line.onReply?.(data);
}
