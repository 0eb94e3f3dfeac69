/**
 * Loads `test/fixtures/<provider>/`: recorded provider responses and the gateway output expected for each. Those of
 * `responses/` in it are for callers who use that API themselves, who receive the recorded bytes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { LogEntry } from '#lambdas/request-log/entry.ts';

export interface Fixture {
  /** Documentation page or recording that defines the format. */
  source: string;
  /** Model name in the caller's request, without the provider prefix. */
  model: string;
  /** The caller's request in OpenAI's format, without `model` and `stream`. */
  request: Record<string, unknown>;
  /** Headers without which the provider refuses the request. */
  requestHeaders?: Record<string, string>;
  /** Non-streaming response; `null` if the fixture only has a stream. */
  plain: RecordedResponse | null;
  stream: RecordedStream | null;
  /** Derivation of the expected usage and cost from the response and the published prices. */
  arithmetic: string;
  expected: Expected;
}

/** A response whose bytes the caller receives. */
export interface ForwardedFixture extends Omit<Fixture, 'expected'> {
  expected: ExpectedEntries;
}

interface RecordedResponse {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** A stream, or the JSON response (`body`) sent in place of one. */
type RecordedStream =
  | {
      status: number;
      headers: Record<string, string>;
      /** Decoded events; the fake's protocol encodes them. */
      events: unknown[];
      /** Set when the connection closes after the last event, before the protocol's end-of-stream marker. */
      truncated?: boolean;
    }
  | RecordedResponse;

interface ExpectedEntries {
  entry: Partial<LogEntry>;
  /** Overrides fields of `entry` for the stream. */
  streamEntry?: Partial<LogEntry>;
}

export interface Expected extends ExpectedEntries {
  choices: ExpectedChoice[];
  /** Error the caller receives: an HTTP error, or the last event of a stream that had already started. */
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
  /** `null` when the stream ended before sending one. */
  finish_reason: string | null;
}

const root = path.resolve(import.meta.dirname, '../../fixtures');

export function loadFixtures(provider: string): Map<string, Fixture> {
  return loadFolder(provider);
}

export function loadForwardedFixtures(provider: string): Map<string, ForwardedFixture> {
  return loadFolder(path.join(provider, 'responses'));
}

function loadFolder<Loaded>(folder: string): Map<string, Loaded> {
  const files = readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.json'));
  return new Map(
    files
      .sort()
      .map((file) => [
        path.basename(file, '.json'),
        JSON.parse(readFileSync(path.join(root, folder, file), 'utf8')) as Loaded,
      ]),
  );
}
