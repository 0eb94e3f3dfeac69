export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

export type SendMail = (mail: Mail) => Promise<void>;

/**
 * Quotes a name that somebody has chosen, for the subject or the text of an e-mail: on one line, without characters that
 * change the direction of the text, and without anything that mail programs turn into a link.
 */
export function quoteName(name: string): string {
  const text = name
    .replaceAll(/[\p{Cf}\p{Cs}"]/gu, '')
    .replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replaceAll(/\.(?=\S)|:(?=\/)/g, '$& ');
  return `"${text.trim()}"`;
}
