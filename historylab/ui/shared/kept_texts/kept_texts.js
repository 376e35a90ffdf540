// Keeps what rarely changes for those who show it; nothing is drawn here.

export default function ({ data }) {
  const [{ key }, deflated] = unpack(data);
  keep(key, deflated);
}
