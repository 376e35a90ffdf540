// What one request does with every message, and which of them the list shows, as items: a message is its index, the
// others are negative.

const [KEPT, PINNED, TRUNCATED, SUMMARIZED, DROPPED, UNSAID] = [0, 1, 2, 3, 4, 255];
const SUMMARY = -1;
const cutBefore = (end) => -2 - end; // what is not sent before that message
const cutEnd = (item) => -2 - item;

const isSent = (action) => action <= TRUNCATED;

const fatesAt = (timeline, request) => (request < 0 ? new Uint8Array(timeline.messages) : timeline.fatesAt(request));

function actionsOf(fates, codes) {
  const actions = new Uint8Array(fates.length);
  for (let i = 0; i < actions.length; i++) actions[i] = fates[i] ? codes[fates[i] - 1] : UNSAID;
  return actions;
}

// One request of what is shown ({timeline, texts, otherwise, view}).
class Picture {
  constructor(shown, request) {
    Object.assign(this, shown, { request });
    this.said = this.timeline.said[request];
    this.before = actionsOf(fatesAt(this.timeline, request - 1), this.timeline.codes);
    this.fates = fatesAt(this.timeline, request).slice(); // the next call may use the same bytes
    this.actions = actionsOf(this.fates, this.timeline.codes);
    this.summary = this.otherwise.summaries.findLast((one) => one.from <= request);
    if (!this.summary?.covers) this.summary = null;
    this.starred = new Set(this.view.starred);
    this.masks = {
      everything: () => true,
      sent: (i) => isSent(this.actions[i]),
      changed: this.changed(),
      lost: (i) => !isSent(this.actions[i]),
      starred: (i) => this.starred.has(i),
      found: (i) => !this.view.searching || (this.found[i >> 3] >> (i & 7)) & 1,
    };
  }

  // Entered, left, or folded since the request before. What a later message stands for has not left.
  changed() {
    const stand = new Map(this.otherwise.replaced);
    return (i) => {
      const now = this.actions[i], by = stand.get(i);
      const kept = now === DROPPED && by !== undefined && by < this.said && this.actions[by] !== DROPPED;
      return isSent(now) !== isSent(this.before[i]) && !kept;
    };
  }

  count(name) {
    let count = 0;
    for (let i = 0; i < this.said; i++) if (this.masks[name](i)) count++;
    return count;
  }

  // Where the summary is sent: before the first message that is sent and is no system message.
  get summaryBefore() {
    for (let i = 0; i < this.said; i++) if (isSent(this.actions[i]) && this.texts.kinds[i] !== "system") return i;
    return this.said;
  }

  // Where the history begins to be sent, if something before it is not.
  get cut() {
    let lost = false;
    for (let i = 0; i < this.said; i++) {
      if (lost && (this.actions[i] === KEPT || this.actions[i] === TRUNCATED)) return i;
      lost ||= !isSent(this.actions[i]);
    }
    return null;
  }

  items(name, chat) {
    const lined = name === "everything" || name === "sent";
    const cut = lined && !chat ? this.cut : null, place = lined && this.summary ? this.summaryBefore : null;
    const ends = (i) => (chat ? i > 0 && (i === this.said || isSent(this.actions[i])) && !isSent(this.actions[i - 1]) : i === cut);
    const items = [];
    for (let i = 0; i <= this.said; i++) {
      if (lined && ends(i)) items.push(cutBefore(i));
      if (i === place) items.push(SUMMARY);
      if (i < this.said && this.masks[name](i)) items.push(i);
    }
    return items;
  }

  tokensOf(i) {
    const whole = this.texts.tokens[i], cut = this.actions[i] === TRUNCATED && this.shorter(i);
    return { whole, sent: cut ? cut[1] : isSent(this.actions[i]) ? whole : 0 };
  }

  // [request, tokens, text or null] of a message that is sent in part.
  shorter(i) {
    this.otherwise.cuts ??= new Map(this.otherwise.shorter);
    return this.otherwise.cuts.get(i)?.findLast(([from]) => from <= this.request);
  }
}
