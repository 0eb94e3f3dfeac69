/** Scripted turns of a fake Responses API. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';

/** An item of the output, without what the API adds, such as its id. */
export type Item =
  | { type: 'message'; text: string; annotations?: readonly JsonObject[]; phase?: string }
  | { type: 'refusal'; refusal: string }
  /** A list is one of several parts. */
  | { type: 'reasoning'; summary: string | readonly string[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string; namespace?: string }
  | { type: 'custom_tool_call'; call_id: string; name: string; input: string; namespace?: string }
  /** A summary of the conversation that only the provider can read. */
  | { type: 'compaction' }
  | { type: 'web_search_call'; query: string }
  | { type: 'file_search_call'; queries: readonly string[] }
  | { type: 'code_interpreter_call'; container_id: string; code: string; logs: string };

/** Numbers of tokens; those of the details are 0 if they are left out. */
interface TurnUsage {
  input: number;
  output: number;
  cached?: number;
  cacheWrite?: number;
  reasoning?: number;
}

export interface ResponseTurn {
  items: readonly Item[];
  usage: TurnUsage;
  /** Ends the response early. */
  incomplete?: 'max_output_tokens' | 'content_filter';
  /** Fails after the items: in a stream by an `error` event and `response.failed`. */
  failure?: { type: string; code: string; message: string };
  /** Closes or resets a stream after its first delta. */
  broken?: 'close' | 'reset';
  /** Holds a stream back after its first delta. */
  resumed?: Promise<void>;
}

/** https://platform.openai.com/docs/guides/error-codes */
export interface ErrorTurn {
  status: number;
  error: { message: string; type: string; param: string | null; code: string | null };
  headers?: Record<string, string>;
}

export type Turn = ResponseTurn | ErrorTurn;
