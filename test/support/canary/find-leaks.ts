/** Looks for secrets in what was written, in whatever form they may be there. */

export interface Secret {
  /** For messages: they do not repeat the secret itself. */
  name: string;
  text: string;
}

export interface Writing {
  /** Where it was found, such as `log line 17`. */
  place: string;
  text: string;
}

/** What must not be written, whosever it is: keys of the gateway and of providers. */
const secretPatterns: Record<string, RegExp> = {
  'a key of the gateway': /pt_live_[0-9A-Za-z]{32}/,
  "a provider's key": /\bsk-[\w-]*\w/,
};

/** Each leak once: what, and where. */
export function findLeaks(writings: readonly Writing[], secrets: readonly Secret[]): string[] {
  const all = writings.map(({ text }) => text).join('\n');
  const patterns = Object.entries(secretPatterns).filter(([, pattern]) => pattern.test(all));
  const leaked = secrets.flatMap(({ name, text }) =>
    formsOf(text)
      .filter((form) => all.includes(form))
      .map((form) => ({ name, form })),
  );
  return writings.flatMap(({ place, text }) => [
    ...patterns.filter(([, pattern]) => pattern.test(text)).map(([name]) => `${name} in ${place}`),
    ...leaked.filter(({ form }) => text.includes(form)).map(({ name }) => `${name} in ${place}`),
  ]);
}

/** As it is, as JSON in JSON, in a URL, in hexadecimal, and in base64 wherever in a longer text it begins. */
export function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const inJson = JSON.stringify(text).slice(1, -1);
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // Of the first and the last character, a part of the bits is of what stands beside the text.
    return encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  const forms = [text, inJson, encodeURIComponent(text), bytes.toString('hex'), ...inBase64];
  return [...new Set(forms)];
}
