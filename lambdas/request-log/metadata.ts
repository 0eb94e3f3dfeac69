/** Reads the three metadata headers, by which callers group their usage. They are logged and never forwarded. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import { isPrintable } from './printable-text.ts';

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

/** Expects header names in lower case. Empty values count as missing. Throws a `GatewayError` that names the header. */
export function readMetadata(headers: Readonly<Record<string, string | undefined>>): Metadata {
  return {
    prompt_id: readValue(headers, metadataHeaders.prompt_id),
    session_id: readValue(headers, metadataHeaders.session_id),
    user_id: readValue(headers, metadataHeaders.user_id),
  };
}

function readValue(headers: Readonly<Record<string, string | undefined>>, name: string): string | null {
  const raw = headers[name];
  if (raw === undefined) return null;
  const value = decodeUtf8(raw).trim();
  if (value === '') return null;
  if (Buffer.byteLength(value) > maxBytes) {
    throw invalidRequestError(name, `${name} must have at most ${maxBytes} bytes`);
  }
  if (!isPrintable(value)) throw invalidRequestError(name, `${name} must not contain control characters`);
  return value;
}

/** Node.js decodes header bytes as Latin-1, but clients send UTF-8. */
function decodeUtf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const decoded = bytes.toString('utf8');
  return bytes.toString('latin1') === value && !decoded.includes('\ufffd') ? decoded : value;
}
