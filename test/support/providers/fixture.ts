/** What a provider answered, in its own format, and what the gateway makes of it. Read from `test/fixtures/<provider>/`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LogEntry } from '#lambdas/request-log/entry.ts';

export interface Fixture {
  /** The page whose shape this follows. */
  source: string;
  /** As the caller names it, without the provider's prefix. */
  model: string;
  /** The caller's request in OpenAI's format, without `model` and `stream`. */
  request: Record<string, unknown>;
  /** `null` where the scene exists in the other form only. */
  plain: RecordedResponse | null;
  stream: RecordedStream | null;
  /** How usage and cost follow from the answer and the published prices. */
  arithmetic: string;
  expected: Expected;
}

export interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** A stream, or (`body`) the answer that came instead of one. */
export type RecordedStream =
  | {
      status: number;
      headers: Record<string, string>;
      /** In the provider's own form; its protocol puts them into bytes. */
      events: unknown[];
      /** The connection closes after the last event, without the protocol's own end. */
      cut?: boolean;
    }
  | RecordedResponse;

export interface Expected {
  choices: ExpectedChoice[];
  /** The fields of the log entry: usage, cost, status and what else the scene is about. */
  entry: Partial<LogEntry>;
  /** What differs in a stream from the above. */
  streamEntry?: Partial<LogEntry>;
  /** The error that the caller sees: an HTTP error, or the last event of a stream that had begun. */
  error?: {
    status: number;
    type: string;
    code: string;
    message: string;
    param?: string;
    retryAfter?: string;
  };
}

export interface ExpectedChoice {
  content: string | null;
  reasoning_content?: string;
  refusal?: string;
  tool_calls?: { name: string; arguments: unknown }[];
  /** `null` where the stream ended before one. */
  finish_reason: string | null;
}

const root = path.resolve(import.meta.dirname, '../../fixtures');

/** The scenes of a provider by name. */
export function fixturesOf(provider: string): Map<string, Fixture> {
  const names = readdirSync(path.join(root, provider)).sort();
  return new Map(
    names.map((name) => [
      path.basename(name, '.json'),
      JSON.parse(readFileSync(path.join(root, provider, name), 'utf8')) as Fixture,
    ]),
  );
}
