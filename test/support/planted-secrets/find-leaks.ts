export interface Secret {
  /** For failure messages, which do not repeat the secret itself. */
  name: string;
  text: string;
}

export interface WrittenText {
  /** For failure messages, such as `log line 17`. */
  place: string;
  text: string;
}

const secretPatterns: Record<string, RegExp> = {
  'a key of the gateway': /pt_live_[0-9A-Za-z]{32}/,
  "a provider's key": /\bsk-[\w-]*\w/,
};

/** Searches for secrets in all common encodings. Returns a message per leak with the secret's name and the place. */
export function findLeaks(writtenTexts: readonly WrittenText[], secrets: readonly Secret[]): string[] {
  const patterns = Object.entries(secretPatterns);
  const namesOfSecretsIn = createSearch(secrets);
  return writtenTexts.flatMap(({ place, text }) => {
    const names = patterns.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
    return [...names, ...namesOfSecretsIn(text)].map((name) => `${name} in ${place}`);
  });
}

/** One pass over a text finds all secrets, by the first characters of their encodings, of which there are thousands. */
function createSearch(secrets: readonly Secret[]): (text: string) => Set<string> {
  const all = secrets.flatMap(({ name, text }) => encodingsOf(text).map((encoding) => ({ name, encoding })));
  const prefixLength = Math.min(...all.map(({ encoding }) => encoding.length));
  const byPrefix = Map.groupBy(all, ({ encoding }) => encoding.slice(0, prefixLength));
  return (text) => {
    const names = new Set<string>();
    for (let at = 0; at <= text.length - prefixLength; at += 1) {
      for (const { name, encoding } of byPrefix.get(text.slice(at, at + prefixLength)) ?? [])
        if (text.startsWith(encoding, at)) names.add(name);
    }
    return names;
  };
}

/** Plain, JSON-escaped, URL-encoded, hexadecimal, and base64 at each offset within a longer text. */
function encodingsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const inJson = JSON.stringify(text).slice(1, -1);
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // The first and the last character may also encode bits of the neighbouring text.
    return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  const encodings = [text, inJson, encodeURIComponent(text), bytes.toString('hex'), ...inBase64];
  return [...new Set(encodings)];
}
