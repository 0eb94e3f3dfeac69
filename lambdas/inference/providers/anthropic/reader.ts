/**
 * What Claude says, put into OpenAI's format piece by piece: by the events of a stream, which a whole message is taken
 * apart into. https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import { isJsonObject, type JsonObject, objectOf, objectsIn, textOf } from '#lambdas/platform/json/json.ts';
import { createThinkingBlocks, type ThinkingBlocks } from '../translation/claude.ts';
import type { ChoiceSink, CompletionSink, FinishReason, ToolCallSink } from '../translation/sink.ts';
import { joinUsage, usageOf } from './usage.ts';
export interface MessageReader {
  /** Events that say nothing of the message, and those of the future, are passed over. */
  read(event: JsonObject): void;
}

/** A block of which only the start is known yet. */
type OpenBlock =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; call: ToolCallSink; input: unknown; hasArguments: boolean };

/** Where the parts of the message go. */
interface Output {
  choice: ChoiceSink;
  thoughts: ThinkingBlocks;
}

export function createMessageReader(sink: CompletionSink): MessageReader {
  const choice = sink.choice(0);
  const output = { choice, thoughts: createThinkingBlocks(choice) };
  /** By their index. */
  const open = new Map<unknown, OpenBlock>();
  const count = createUsageCount(sink);
  let hasContent = false;
  const start = (index: unknown, content: JsonObject) => {
    hasContent = true;
    const block = startBlock(output, content);
    if (block !== null) open.set(index, block);
  };

  return {
    read(event) {
      switch (event.type) {
        case 'message_start': {
          const message = objectOf(event.message);
          sink.identify({ id: textOf(message.id), model: textOf(message.model) });
          count(message.usage);
          choice.begin();
          break;
        }
        case 'content_block_start':
          start(event.index, objectOf(event.content_block));
          break;
        case 'content_block_delta':
          readDelta(output, objectOf(event.delta), open.get(event.index));
          break;
        case 'content_block_stop':
          endBlock(output, open.get(event.index));
          break;
        case 'message_delta':
          count(event.usage);
          endMessage({ sink, choice, delta: objectOf(event.delta), hasContent });
      }
    },
  };
}

/** Of a stream each event may say a part. */
function createUsageCount(sink: CompletionSink): (said: unknown) => void {
  let usage: JsonObject = {};
  return (said) => {
    usage = joinUsage(usage, said);
    const tokens = usageOf(usage);
    if (tokens !== null) sink.usage(tokens);
  };
}

/** What is not of text, thinking or the caller's tools is the provider's own business, such as its search results. */
function startBlock({ choice, thoughts }: Output, block: JsonObject): OpenBlock | null {
  switch (block.type) {
    case 'text':
      sayText({ choice, thoughts }, block.text);
      return null;
    case 'thinking':
      choice.reasoning(textOf(block.thinking));
      return {
        type: 'thinking',
        thinking: textOf(block.thinking),
        signature: textOf(block.signature),
      };
    case 'redacted_thinking':
      thoughts.put({ type: 'redacted_thinking', data: textOf(block.data) });
      return null;
    case 'tool_use': {
      thoughts.end();
      const call = choice.toolCall({ id: textOf(block.id), name: textOf(block.name) });
      return { type: 'tool_use', call, input: block.input, hasArguments: false };
    }
    default:
      thoughts.end();
      return null;
  }
}

function readDelta(output: Output, delta: JsonObject, block: OpenBlock | undefined): void {
  switch (delta.type) {
    case 'text_delta':
      sayText(output, delta.text);
      break;
    case 'thinking_delta':
      output.choice.reasoning(textOf(delta.thinking));
      if (block?.type === 'thinking') block.thinking += textOf(delta.thinking);
      break;
    case 'signature_delta':
      if (block?.type === 'thinking') block.signature += textOf(delta.signature);
      break;
    case 'input_json_delta':
      if (block?.type !== 'tool_use') break;
      block.hasArguments ||= textOf(delta.partial_json) !== '';
      block.call.arguments(textOf(delta.partial_json));
  }
}

/** A call whose input did not come in pieces has it whole, or has none. */
function endBlock({ thoughts }: Output, block: OpenBlock | undefined): void {
  switch (block?.type) {
    case undefined:
      break;
    case 'thinking':
      thoughts.put(block);
      break;
    case 'tool_use':
      if (!block.hasArguments) block.call.arguments(inputText(block.input));
      break;
    default:
      block satisfies never;
  }
}

/** Empty for an empty input, which an input that was cut off looks like. */
function inputText(input: unknown): string {
  return isJsonObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
}

/** A text of blanks is not sent back, so that it parts no thoughts. */
function sayText({ choice, thoughts }: Output, text: unknown): void {
  choice.text(textOf(text));
  if (textOf(text).trim() !== '') thoughts.end();
}

// How a message of Claude's ended. https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons

export interface MessageEnd {
  sink: CompletionSink;
  choice: ChoiceSink;
  /** Of the event `message_delta`. */
  delta: JsonObject;
  hasContent: boolean;
}

export function endMessage({ sink, choice, delta, hasContent }: MessageEnd): void {
  const reason = textOf(delta.stop_reason);
  if (reason === '') return;
  const details = objectOf(delta.stop_details);
  if (reason === 'refusal') {
    choice.refusal(textOf(details.explanation));
    if (!hasContent && !billedRefusals.includes(textOf(details.category))) sink.statedCost('0');
  }
  choice.finish(finishReasons[reason] ?? 'stop');
}

/**
 * The kinds of refusal that cost their input also when nothing was said yet; all others are free then.
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#how-refusals-are-billed
 */
const billedRefusals = ['bio', 'frontier_llm', 'reasoning_extraction'];

/** `pause_turn` asks to send the answer back and go on, for which OpenAI has no word. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

// A whole message as the events that it would have come in.

export function eventsOfMessage(message: JsonObject): JsonObject[] {
  const { content, usage, stop_reason, stop_details } = message;
  return [
    { type: 'message_start', message },
    ...objectsIn(content).flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop_reason ?? 'end_turn', stop_details }, usage },
  ];
}
