// One paper of the list.

const FIRST_OF_ABSTRACT = 300; // characters
const FIRST_AUTHORS = 12;
const BEFORE_FOUND = 40; // characters shown before what was searched
const PRESSED = { yes: "true", maybe: "mixed" };

const ROW = make(
  "div",
  { role: "row", class: "row" },
  make("div", { role: "gridcell", class: "place" }, make("span", { class: "number" }), make("span", { class: "bar" })),
  make("div", { role: "gridcell", class: "decision" }, make("button", { class: "sign", type: "button", tabindex: -1 })),
  make(
    "div",
    { role: "gridcell", class: "text" },
    make("div", { class: "title", dir: "auto" }),
    make("div", { class: "authors", dir: "auto" }),
    make("div", { class: "line", dir: "auto" }),
  ),
  make(
    "div",
    { role: "gridcell", class: "aside" },
    make("span", { class: "codes" }),
    make("span", { class: "labels", dir: "auto" }),
    make("span", { class: "pen" }),
    make("button", { class: "opener", type: "button", tabindex: -1, "aria-expanded": "false" }),
  ),
);

class Row {
  constructor(paper, list) {
    this.paper = paper;
    this.list = list;
    this.tags = [];
    this.note = "";
    this.answer = null;
    this.details = null;
    this.element = ROW.cloneNode(true);
    const [place, decision, text, aside] = this.element.children;
    [this.number, this.bar] = place.children;
    [this.sign] = decision.children;
    [this.title, this.authors, this.line] = text.children;
    [this.codes, this.labels, this.pen, this.opener] = aside.children;
    showText(this.title, paper.title, list.pattern);
    this.authors.textContent = shortened(paper.authors);
    this.codes.textContent = paper.codes.slice(0, 4).join(" ");
    this.opener.setAttribute("aria-label", SAYS.open(paper.title));
    if (list.given.isLocked) this.sign.setAttribute("aria-disabled", true);
    if (paper.score === undefined) this.bar.hidden = true;
    else this.bar.style.setProperty("--share", paper.share);
    this.showWord("undecided");
    this.showLine("");
  }

  // All that is searched, in lower case; made when somebody searches.
  get searched() {
    const { title, authors, abstract } = this.paper;
    return (this.all ??= [title, authors.join(" "), abstract].join("\n").toLowerCase());
  }

  // Show the abstract from where the first of the words searched stands, and from its beginning without any.
  showLine(query) {
    const { abstract } = this.paper;
    const found = query ? abstract.toLowerCase().indexOf(query) : 0;
    const start = found > BEFORE_FOUND ? abstract.lastIndexOf(" ", found - BEFORE_FOUND) + 1 : 0;
    if (start === this.start) return;
    this.start = start;
    const text = abstract.slice(start, start + FIRST_OF_ABSTRACT);
    showText(this.line, start ? `… ${text}` : text || SAYS.noAbstract, this.list.pattern);
  }

  showPlace(place) {
    this.place = place;
    this.number.textContent = place;
    this.sign.setAttribute("aria-label", SAYS.ask(place, this.paper.title));
  }

  showWord(word) {
    this.word = word;
    this.element.dataset.word = word;
    this.sign.textContent = SIGNS[word];
    this.sign.setAttribute("aria-pressed", PRESSED[word] ?? "false");
    if (word === "no" || word === "maybe") this.sign.setAttribute("aria-description", WORDS[word]);
    else this.sign.removeAttribute("aria-description");
  }

  showNotes({ tags = this.tags, note = this.note }) {
    this.tags = tags;
    this.note = note;
    this.labels.textContent = tags.join(" · ");
    this.pen.textContent = note && "✎";
    if (note) this.pen.title = SAYS.hasNote;
    this.list.offerTags(tags);
    this.details?.showNotes();
  }

  showAnswer(sections) {
    this.answer = sections;
    this.details?.showAnswer();
  }

  // Only the row in focus is reached by Tab; its links and fields too.
  setCurrent(isCurrent) {
    this.element.classList.toggle("current", isCurrent);
    for (const element of this.element.querySelectorAll("button, a, input, textarea, .details")) {
      element.tabIndex = isCurrent ? 0 : -1;
    }
  }

  get isOpen() {
    return this.details !== null;
  }

  open() {
    this.details = new Details(this);
    this.element.append(this.details.element);
    this.element.classList.add("open");
    this.opener.setAttribute("aria-expanded", "true");
  }

  close() {
    this.details.element.remove();
    this.details = null;
    this.element.classList.remove("open");
    this.opener.setAttribute("aria-expanded", "false");
  }

  flash() {
    this.element.classList.remove("news");
    void this.element.offsetWidth; // so that the animation starts again
    this.element.classList.add("news");
  }
}

function shortened(authors) {
  if (!authors.length) return SAYS.noAuthor;
  const more = authors.length - FIRST_AUTHORS;
  if (more < 2) return authors.join("; ");
  return `${authors.slice(0, FIRST_AUTHORS).join("; ")} ${SAYS.andMore(more)}`;
}
