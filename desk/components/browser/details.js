// What an open paper shows below its line.

const MOST_TAGS = 50; // a paper
const PAUSE = 800; // milliseconds without a key, after which a note is saved

class Details {
  constructor(row) {
    this.row = row;
    this.list = row.list;
    const { paper } = row;
    this.element = make("div", { role: "gridcell", class: "details", "aria-label": SAYS.details(paper.title) });
    const abstract = make("p", { class: "abstract", dir: "auto" });
    showText(abstract, paper.abstract || SAYS.noAbstract, this.list.pattern);
    this.element.append(abstract);
    if (paper.authors.length > FIRST_AUTHORS) {
      this.element.append(make("p", { class: "quiet", dir: "auto" }, paper.authors.join("; ")));
    }
    this.element.append(this.facts());
    if (this.list.given.hasAnswers) this.element.append((this.answer = make("div", { class: "answer" })));
    if (this.list.given.tags) this.element.append(this.tagChoice());
    if (this.list.given.hasNotes) this.element.append(this.noteField());
    this.showAnswer();
    this.showNotes();
  }

  facts() {
    const { series, codes, date, id, score, links } = this.row.paper;
    const texts = [codes.join(" "), series, date, id, score === undefined ? "" : SAYS.score(score)].filter(Boolean);
    const parts = [...texts.map((text) => make("span", { dir: "auto" }, text)), ...links.map(link)];
    return make("p", { class: "facts" }, ...parts.flatMap((part, n) => (n ? [" · ", part] : [part])));
  }

  showAnswer() {
    if (!this.answer) return;
    const sections = this.row.answer ?? [{ heading: SAYS.asking, lines: [] }];
    this.answer.replaceChildren(
      ...sections.map(({ heading, lines, terms = [] }) =>
        make(
          "section",
          {},
          make("h4", {}, heading),
          make("ul", {}, ...lines.map((line) => make("li", { dir: "auto" }, line))),
          ...(terms.length && !this.list.given.isLocked ? [this.corrections(terms)] : []),
        ),
      ),
    );
  }

  // For each term that moved the paper, what leaves it unread or lifts it.
  corrections(terms) {
    const lines = terms.map((term) => {
      const buttons = Object.entries(SAYS.effects).map(([effect, name]) => this.correction(effect, name, term));
      return make("span", { class: "correction" }, make("span", { dir: "auto" }, term), ...buttons);
    });
    return make("p", { class: "corrections" }, SAYS.correct, ...lines);
  }

  correction(effect, name, term) {
    const isGiven = this.list.hints.get(term) === effect;
    const button = make("button", { type: "button", "aria-label": SAYS.effectOf[effect](term) }, name);
    button.setAttribute("aria-pressed", isGiven);
    button.addEventListener("click", () => {
      if (this.list.hints.get(term) === effect) return;
      this.list.hints.set(term, effect);
      this.list.outbox.add({ kind: "hinted", effect, term });
      this.list.announce(SAYS.hinted[effect](term));
      for (const other of button.parentElement.querySelectorAll("button")) other.setAttribute("aria-pressed", other === button);
    });
    return button;
  }

  tagChoice() {
    this.tagBoxes = new Map();
    this.newTag = make("input", { type: "text", maxlength: 100, dir: "auto", "aria-label": SAYS.newTag });
    this.newTag.placeholder = SAYS.newTag;
    this.newTag.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) this.addTag(this.newTag.value.trim());
    });
    return make("fieldset", { class: "tags" }, make("legend", {}, SAYS.tags), this.newTag);
  }

  addTag(tag) {
    if (!tag) return;
    this.newTag.value = "";
    if (!this.row.tags.includes(tag)) this.changeTags([...this.row.tags, tag]);
  }

  changeTags(tags) {
    if (tags.length > MOST_TAGS) {
      this.list.announce(SAYS.manyTags);
      this.showNotes();
      return;
    }
    this.row.showNotes({ tags });
    this.list.outbox.add({ kind: "tagged", paper: this.row.paper.id, tags });
  }

  // A box for each tag that any paper has.
  offerTags() {
    for (const tag of this.list.tags) {
      if (this.tagBoxes.has(tag)) continue;
      const box = make("input", { type: "checkbox" });
      box.tabIndex = this.row === this.list.current ? 0 : -1;
      box.addEventListener("change", () => {
        const others = this.row.tags.filter((one) => one !== tag);
        this.changeTags(box.checked ? [...others, tag] : others);
      });
      this.tagBoxes.set(tag, box);
      this.newTag.before(make("label", {}, box, make("bdi", {}, tag)));
    }
  }

  noteField() {
    this.note = make("textarea", { rows: 2, maxlength: 10000, dir: "auto" });
    this.note.addEventListener("change", () => this.saveNote());
    this.note.addEventListener("input", () => {
      clearTimeout(this.writing);
      this.writing = setTimeout(() => this.saveNote(), PAUSE);
    });
    return make("label", { class: "note" }, SAYS.note, this.note);
  }

  saveNote() {
    clearTimeout(this.writing);
    if (this.note.value === this.row.note) return;
    this.row.showNotes({ note: this.note.value });
    this.list.outbox.add({ kind: "noted", paper: this.row.paper.id, text: this.note.value });
  }

  showNotes() {
    if (this.tagBoxes) this.offerTags();
    for (const [tag, box] of this.tagBoxes ?? []) box.checked = this.row.tags.includes(tag);
    const isWriting = this.note && this.note.getRootNode().activeElement === this.note;
    if (this.note && !isWriting) this.note.value = this.row.note;
  }
}
