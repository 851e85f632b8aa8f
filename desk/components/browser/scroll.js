// Brings a heading into sight.

export default function ({ data }) {
  document.getElementById(data.anchor)?.scrollIntoView();
}
