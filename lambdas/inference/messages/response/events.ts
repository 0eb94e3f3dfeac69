/** The events of a streamed message, of which a whole message is the sum. https://platform.claude.com/docs/en/build-with-claude/streaming */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import type { StopReason } from './stop-reason.ts';
import type { MessageUsage, WholeUsage } from './usage.ts';

export type MessageEvent =
  | { type: 'message_start'; message: StartedMessage }
  | BlockEvent
  | { type: 'message_delta'; delta: MessageEnd; usage: MessageUsage }
  | { type: 'message_stop' };

/** One block is open at a time. */
type BlockEvent =
  | { type: 'content_block_start'; index: number; content_block: ContentBlock }
  | { type: 'content_block_delta'; index: number; delta: BlockDelta }
  | { type: 'content_block_stop'; index: number };

interface StartedMessage extends JsonObject {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: [];
  usage: WholeUsage;
}

export type ContentBlock =
  | { type: 'text'; text: string; citations: null }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: JsonObject; caller: { type: 'direct' } };

export type BlockDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; thinking: string }
  | { type: 'signature_delta'; signature: string }
  | { type: 'input_json_delta'; partial_json: string };

interface MessageEnd {
  container: null;
  stop_details: { type: 'refusal'; category: null; explanation: string | null } | null;
  stop_reason: StopReason;
  stop_sequence: string | null;
}

/** Receives the events of a message, none of which follows an error. */
export interface MessageOutput {
  write(event: MessageEvent): void;
  /** The provider is still working. */
  ping(): void;
  /** Returns the bytes for the caller since the last call. */
  take(): Buffer;
}
