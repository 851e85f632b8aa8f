// What an open paper shows below its line.

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
    if (this.list.given.tags) this.element.append((this.tags = this.tagChoice()));
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
      ...sections.map(({ heading, lines }) =>
        make(
          "section",
          {},
          make("h4", {}, heading),
          make("ul", {}, ...lines.map((line) => make("li", { dir: "auto" }, line))),
        ),
      ),
    );
  }

  tagChoice() {
    const boxes = this.list.given.tags.map((tag) => {
      const box = make("input", { type: "checkbox", value: tag });
      box.disabled = this.list.given.isLocked;
      return make("label", {}, box, tag);
    });
    const choice = make("fieldset", { class: "tags" }, make("legend", {}, SAYS.tags), ...boxes);
    choice.addEventListener("change", () => {
      const chosen = [...choice.querySelectorAll("input:checked")].map((box) => box.value);
      this.row.showNotes({ tags: chosen });
      this.list.outbox.add({ kind: "tagged", paper: this.row.paper.id, tags: chosen });
    });
    return choice;
  }

  noteField() {
    this.note = make("textarea", { rows: 2, maxlength: 10000, dir: "auto" });
    this.note.disabled = this.list.given.isLocked;
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
    for (const box of this.tags?.querySelectorAll("input") ?? []) box.checked = this.row.tags.includes(box.value);
    const isWriting = this.note && this.note.getRootNode().activeElement === this.note;
    if (this.note && !isWriting) this.note.value = this.row.note;
  }
}
