// An item with every type, and in each what is easily lost.

export const EVERY_TYPE = {
  pk: { S: "every" },
  text: { S: 'quotes " and \\ and\nlines, ünïcödé 🥕 \u0000' },
  empty: { S: "" },
  long: { N: "12345678901234567890123456789012345678" },
  tiny: { N: "-1.2345678901234567890123456789012345678E-130" },
  decimal: { N: "0.1" },
  bytes: { B: "AAECAwQF/w==" },
  none: { B: "" },
  yes: { BOOL: true },
  no: { BOOL: false },
  nothing: { NULL: true },
  words: { SS: ["a", "b c", "ü"] },
  numbers: { NS: ["1", "99999999999999999999999999999999999999", "-0.5"] },
  blobs: { BS: ["AA==", "//8="] },
  list: { L: [{ S: "x" }, { N: "9007199254740993" }, { L: [] }, { M: {} }, { SS: ["deep"] }] },
  map: { M: { "a.b": { N: "1" }, __proto__x: { S: "y" }, inner: { M: { b: { B: "AQ==" } } } } },
};
