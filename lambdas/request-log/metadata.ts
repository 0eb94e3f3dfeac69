/** The three headers by which callers group their usage. They are logged and never forwarded. */
import { invalidRequest } from '#lambdas/platform/errors.ts';

export interface Metadata {
  prompt_id: string | null;
  session_id: string | null;
  user_id: string | null;
}

export const metadataHeaders = {
  prompt_id: 'gateway-prompt-id',
  session_id: 'gateway-session-id',
  user_id: 'gateway-user-id',
} as const satisfies Record<keyof Metadata, string>;

export const noMetadata: Metadata = { prompt_id: null, session_id: null, user_id: null };

const maxBytes = 256;

/** Header names in lower case. An empty value counts as none. Throws a `GatewayError` that names the header. */
export function readMetadata(headers: Readonly<Record<string, string | undefined>>): Metadata {
  return {
    prompt_id: readValue(headers, metadataHeaders.prompt_id),
    session_id: readValue(headers, metadataHeaders.session_id),
    user_id: readValue(headers, metadataHeaders.user_id),
  };
}

function readValue(headers: Readonly<Record<string, string | undefined>>, name: string): string | null {
  const sent = headers[name];
  if (sent === undefined) return null;
  const value = decodeUtf8(sent).trim();
  if (value === '') return null;
  if (Buffer.byteLength(value) > maxBytes) {
    throw invalidRequest(name, `${name} must have at most ${maxBytes} bytes`);
  }
  if (hasLineBreaks(value)) throw invalidRequest(name, `${name} must not contain control characters`);
  return value;
}

/** Node decodes header bytes as Latin-1, and clients write UTF-8. */
function decodeUtf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const decoded = bytes.toString('utf8');
  return bytes.toString('latin1') === value && !decoded.includes('\ufffd') ? decoded : value;
}

/**
 * Whether text from outside would not stay one value on one line of the log and its exports: it has control characters,
 * halves of a character, or what some readers take for the end of a line.
 */
export function hasLineBreaks(text: string): boolean {
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
}

/** The text with U+FFFD for each character that would break its line. */
export function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
