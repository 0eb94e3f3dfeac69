/** Characters that cannot be seen, or change the direction of the text around them. The joiner is part of emojis. */
const invisible = /(?!\u200D)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]/gu;

export function hasInvisible(text: string): boolean {
  return text.search(invisible) !== -1;
}

/** The text with the codes of characters that cannot be seen: "anna[U+202E]". */
export function withCodes(text: string): string {
  return text.replace(invisible, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

/** Text that callers have chosen, such as the id of a user: it does not turn the text around it, and hides nothing. */
export function ForeignText({ children }: { children: string }) {
  return <bdi>{withCodes(children)}</bdi>;
}
