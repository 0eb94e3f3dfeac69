/** Reads the metadata of a request, by which callers group their usage, from headers. They are logged and never forwarded. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { HttpRequest } from '#lambdas/platform/http/request.ts';
import type { OperationName } from './operation.ts';
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
export function readMetadata(headers: HttpRequest['headers']): Metadata {
  return {
    prompt_id: readValue(headers, metadataHeaders.prompt_id),
    session_id: readValue(headers, metadataHeaders.session_id),
    user_id: readValue(headers, metadataHeaders.user_id),
  };
}

function readValue(headers: HttpRequest['headers'], name: string): string | null {
  const raw = headers[name];
  if (raw === undefined) return null;
  const value = decodeUtf8(raw).trim();
  const problem = problemOf(value);
  if (problem !== null) throw invalidRequestError(name, `${name} ${problem}`);
  return value === '' ? null : value;
}

function problemOf(value: string): string | null {
  if (Buffer.byteLength(value) > maxBytes) return `must have at most ${maxBytes} bytes`;
  return isPrintable(value) ? null : 'must not contain control characters';
}

/** The operations that coding agents use. */
const agentOperations: readonly OperationName[] = ['messages', 'responses'];

/** The headers in which agents send the id of their session. */
export const agentSessionHeaders = [
  // Claude Code: https://code.claude.com/docs/en/llm-gateway-protocol#request-headers
  'x-claude-code-session-id',
  // Codex: https://github.com/openai/codex/pull/21757
  'session-id',
  // Codex, until https://github.com/openai/codex/pull/22193
  'session_id',
];

/** Adds the session of an agent if the caller names none. An invalid value is ignored, since nobody chose the header. */
export function withAgentSession(
  metadata: Metadata,
  operation: OperationName,
  headers: HttpRequest['headers'],
): Metadata {
  if (metadata.session_id !== null || !agentOperations.includes(operation)) return metadata;
  const values = agentSessionHeaders.map((name) => decodeUtf8(headers[name] ?? '').trim());
  const session = values.find((value) => value !== '' && problemOf(value) === null);
  return { ...metadata, session_id: session ?? null };
}

/** Node.js decodes header bytes as Latin-1, but clients send UTF-8. */
function decodeUtf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const decoded = bytes.toString('utf8');
  return bytes.toString('latin1') === value && !decoded.includes('\ufffd') ? decoded : value;
}
