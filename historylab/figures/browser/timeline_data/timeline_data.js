// Keeps for all who show it what every request does with every message.

const CHECKPOINTS = 64;

class HistoryTimeline {
  constructor(conversation, part) {
    Object.assign(this, conversation, part);
    [this.messages, this.requests] = [this.who.length, this.labels.length];
    this.moved = new Set(part.moved);
    this.offset = new Uint32Array(this.requests + 1);
    for (let r = 0; r < this.requests; r++) this.offset[r + 1] = this.offset[r] + part.runs[r];
    this.readWhy(part);
    this.playThrough();
  }

  // Once through all requests: how many messages each action has, and fates to start from later.
  playThrough() {
    const fates = new Uint8Array(this.messages), counts = new Uint32Array(this.codes.length + 1);
    const skipped = new Set(this.replaced);
    this.every = Math.max(1, Math.ceil(this.requests / CHECKPOINTS));
    [this.checkpoints, this.counts, this.newest] = [[], [], new Uint8Array(this.requests)];
    for (let r = 0; r < this.requests; r++) {
      for (let k = this.offset[r]; k < this.offset[r + 1]; k++) {
        const code = this.code[k], first = this.first[k];
        for (let m = first; m < first + this.length[k]; m++) {
          if (fates[m]) counts[fates[m]]--;
          fates[m] = code;
        }
        counts[code] += this.length[k];
      }
      if (r % this.every === 0) this.checkpoints.push(fates.slice());
      const actions = new Array(this.looks.length).fill(0);
      this.codes.forEach((action, i) => (actions[action] += skipped.has(i + 1) ? 0 : counts[i + 1]));
      this.counts.push(actions);
      this.newest[r] = fates[this.said[r] - 1];
    }
    const [kept, pinned, truncated] = [0, 1, 2];
    this.sent = this.counts.map((actions) => actions[kept] + actions[pinned] + actions[truncated]);
    this.shown = this.counts.map((actions) => actions.reduce((sum, n) => sum + n, 0));
  }

  readWhy({ why_request, why_rule, why_sentence }) {
    this.why = new Map();
    why_request.forEach((request, i) => {
      const rule = this.why.get(why_rule[i]) ?? this.why.set(why_rule[i], []).get(why_rule[i]);
      rule.push([request, why_sentence[i]]);
    });
  }

  // What request `request` does with every message: 0 = not said yet, else k for codes[k - 1]. Not to be changed.
  fatesAt(request) {
    if (this.at === request) return this.fates;
    const near = this.at < request && request - this.at <= this.every;
    let at = near ? this.at : Math.floor(request / this.every) * this.every;
    const fates = (near ? this.fates : this.checkpoints[at / this.every]).slice();
    while (at < request) this.change(fates, ++at);
    [this.at, this.fates] = [request, fates];
    return fates;
  }

  // From the fates of the request before to those of this one.
  change(fates, request) {
    for (let k = this.offset[request]; k < this.offset[request + 1]; k++) {
      fates.fill(this.code[k], this.first[k], this.first[k] + this.length[k]);
    }
  }

  actionAt(request, message) {
    const fate = this.fatesAt(request)[message];
    return fate ? this.codes[fate - 1] : null;
  }

  // A sentence: the words of its pattern, and between them its numbers.
  worded(n) {
    const number = (place) => count(this[`number${place}`][n]);
    return this.sentences[this.pattern[n]].map((words, place) => (place ? number(place) + words : words)).join("");
  }

  // Why request `request` does with that message what it does, in words.
  sentence(request, message) {
    const fate = this.fatesAt(request)[message];
    const since = fate && this.why.get(this.rules[fate - 1])?.findLast(([first]) => first <= request);
    return since ? this.worded(since[1]) : "";
  }
}

export default ({ data }) => {
  const [{ key, conversation }, packed] = readHead(data);
  if (!conversation) return kept.conversations.put(key, () => unpacked(packed));
  kept.timelines.put(key, async () => new HistoryTimeline(await kept.conversations.get(conversation), await unpacked(packed)));
};
