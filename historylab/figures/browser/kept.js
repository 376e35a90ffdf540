// What Python sends rarely, kept by its key for all components.

const kept = (globalThis.historylabKept ??= { conversations: makeStore(), timelines: makeStore(), texts: makeStore() });

// Key → promise; of those that nobody puts or gets again the oldest go.
function makeStore(most = 8) {
  const known = new Map();
  const entry = (key) => {
    const found = known.get(key) ?? { here: false, ...Promise.withResolvers() };
    known.delete(key);
    known.set(key, found);
    if (known.size > most) known.delete(known.keys().next().value);
    return found;
  };
  return {
    get: (key) => entry(key).promise,
    put(key, make) {
      const found = entry(key);
      if (!found.here) found.resolve(make());
      found.here = true;
    },
  };
}
