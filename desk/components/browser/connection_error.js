// Streamlit tells of a lost connection in a window that takes the focus. The head of the list says it too, and one
// goes on deciding meanwhile: so the window is closed, and the focus comes back.

function closeConnectionErrors(list, signal) {
  let isClosing = false;
  const observer = new MutationObserver(() => {
    const shown = [...document.querySelectorAll("body > [data-testid=stDialog]")];
    const error = shown.find((dialog) => dialog.querySelector("h2")?.textContent === "Connection error");
    error?.querySelector("button")?.click();
    if (isClosing && !error && document.activeElement === document.body) {
      list.focus(list.current, { preventScroll: true });
    }
    isClosing = Boolean(error);
  });
  observer.observe(document.body, { childList: true });
  signal.addEventListener("abort", () => observer.disconnect());
}
