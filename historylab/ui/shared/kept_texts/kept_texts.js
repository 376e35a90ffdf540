// Keeps what rarely changes for those who show it; nothing is drawn here.

export default ({ data }) => {
  const [{ key }, deflated] = readHead(data);
  kept.texts.put(key, async () => JSON.parse(new TextDecoder().decode(await inflate(deflated))));
};
