/**
 * Translates Claude's messages to OpenAI's format. Handles a non-streaming message by converting it to the events of a
 * stream.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { ChoiceSink, CompletionSink, ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import {
  filterObjects,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  stringOrEmpty,
} from '#lambdas/platform/json/json.ts';
import { serialize } from '../serialize.ts';
import { thinkingSignature } from '../translation/claude.ts';
import { createBillingReader } from './billing.ts';

interface MessageReader {
  read(event: JsonObject): void;
}

type OpenBlock =
  | { type: 'thinking'; signature: string }
  | { type: 'tool_use'; call: ToolCallSink; input: unknown; hasArguments: boolean };

interface Output {
  sink: CompletionSink;
  choice: ChoiceSink;
}

export function createMessageReader(sink: CompletionSink, requestedModel: string): MessageReader {
  const choice = sink.choice(0);
  const output: Output = { sink, choice };
  const openBlocks = new Map<unknown, OpenBlock>();
  const billing = createBillingReader(sink, requestedModel);

  return {
    read(event) {
      billing.read(event);
      switch (event.type) {
        case 'message_start': {
          const message = objectOrEmpty(event.message);
          sink.identify({ id: stringOrEmpty(message.id), model: stringOrEmpty(message.model) });
          choice.begin();
          break;
        }
        case 'content_block_start': {
          const block = startBlock(output, objectOrEmpty(event.content_block));
          if (block !== null) openBlocks.set(event.index, block);
          break;
        }
        case 'content_block_delta':
          readDelta(output, objectOrEmpty(event.delta), openBlocks.get(event.index));
          break;
        case 'content_block_stop':
          endBlock(output, openBlocks.get(event.index));
          break;
        case 'message_delta':
          endMessage(choice, objectOrEmpty(event.delta));
      }
    },
  };
}

/** Omits blocks other than text, thinking and calls of the caller's tools, for example search results. */
function startBlock(output: Output, block: JsonObject): OpenBlock | null {
  const { sink, choice } = output;
  switch (block.type) {
    case 'text':
      choice.text(stringOrEmpty(block.text));
      return null;
    case 'thinking':
      choice.reasoning(stringOrEmpty(block.thinking));
      return { type: 'thinking', signature: stringOrEmpty(block.signature) };
    case 'redacted_thinking':
      choice.signature({ format: 'anthropic', kind: 'redacted', data: stringOrEmpty(block.data) });
      return null;
    case 'tool_use': {
      const call = choice.toolCall({ id: stringOrEmpty(block.id), name: stringOrEmpty(block.name) });
      return { type: 'tool_use', call, input: block.input, hasArguments: false };
    }
    case 'fallback':
      // The rest of the message is written by another model.
      sink.identify({ model: stringOrEmpty(objectOrEmpty(block.to).model) });
      choice.omit();
      return null;
    default:
      choice.omit();
      return null;
  }
}

function readDelta(output: Output, delta: JsonObject, block: OpenBlock | undefined): void {
  switch (delta.type) {
    case 'text_delta':
      output.choice.text(stringOrEmpty(delta.text));
      break;
    case 'thinking_delta':
      output.choice.reasoning(stringOrEmpty(delta.thinking));
      break;
    case 'signature_delta':
      if (block?.type === 'thinking') block.signature += stringOrEmpty(delta.signature);
      break;
    case 'input_json_delta':
      if (block?.type !== 'tool_use') break;
      block.hasArguments ||= stringOrEmpty(delta.partial_json) !== '';
      block.call.arguments(stringOrEmpty(delta.partial_json));
  }
}

/** A tool call without argument deltas has its input in the start of the block, or none. */
function endBlock({ choice }: Output, block: OpenBlock | undefined): void {
  switch (block?.type) {
    case undefined:
      break;
    case 'thinking':
      choice.signature(thinkingSignature(block.signature));
      break;
    case 'tool_use':
      if (!block.hasArguments) block.call.arguments(inputText(block.input));
      break;
    default:
      block satisfies never;
  }
}

/** Returns an empty string for an empty input, since a truncated input looks the same. */
function inputText(input: unknown): string {
  return isJsonObject(input) && Object.keys(input).length > 0 ? serialize(input) : '';
}

/**
 * `pause_turn` asks the client to send the response back to continue, for which OpenAI has no equivalent.
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
function endMessage(choice: ChoiceSink, { stop_reason, stop_details, stop_sequence }: JsonObject): void {
  const reason = stringOrEmpty(stop_reason);
  if (reason === '') return;
  if (typeof stop_sequence === 'string') choice.stopSequence(stop_sequence);
  if (reason === 'refusal') choice.refusal(stringOrEmpty(objectOrEmpty(stop_details).explanation));
  choice.finish(reason);
}

/** Only a whole message has its content in a list. */
export function isMessage({ content }: JsonObject): boolean {
  return Array.isArray(content);
}

export function toStreamEvents(message: JsonObject): JsonObject[] {
  const { content, usage, stop_reason, stop_details, stop_sequence } = message;
  return [
    { type: 'message_start', message },
    ...filterObjects(content).flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_details, stop_sequence }, usage },
  ];
}
