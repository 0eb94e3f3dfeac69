/**
 * Translates responses of Converse into OpenAI's format by the events of a stream, into which a non-streaming response is
 * split.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
import { isJsonObject, type JsonObject, objectOf, objectsIn, textOf } from '#lambdas/platform/json/json.ts';
import { cacheWriteUsage, noUsage, readTokenCount, type TokenUsage } from '#lambdas/pricing/usage.ts';
import { createThinkingBlocks, type ThinkingBlocks } from '../translation/claude.ts';
import type { ChoiceSink, CompletionSink, FinishReason, ToolCallSink } from '../translation/sink.ts';

export interface ConverseReader {
  /** Ignores unknown events. */
  read(type: string, payload: JsonObject): void;
  /** Whether both the stop reason and the usage have arrived, in either order. */
  isComplete(): boolean;
}

/** A block that has started and not ended. */
type OpenBlock =
  | { kind: 'thought'; text: string; signature: string }
  | { kind: 'call'; call: ToolCallSink }
  /** The call of the tool whose arguments are the completion. */
  | { kind: 'answer'; isEmpty: boolean };

/** The outputs for the parts of the response, and its state so far. */
interface Output {
  choice: ChoiceSink;
  thoughts: ThinkingBlocks;
  /** The tool whose arguments are the completion. */
  answerTool: string | null;
  /** Text beside a completion in JSON, which is shown only if there is no JSON, as when a guardrail intervened. */
  held: string;
  called: boolean;
  /** By their index. */
  open: Map<unknown, OpenBlock>;
}

export function createConverseReader({
  sink,
  answerTool,
}: Pick<Output, 'answerTool'> & { sink: CompletionSink }): ConverseReader {
  const choice = sink.choice(0);
  const thoughts = createThinkingBlocks(choice);
  const output: Output = { choice, thoughts, answerTool, held: '', called: false, open: new Map() };
  const arrived = { finish: false, usage: false };

  return {
    read(type, payload) {
      const { contentBlockIndex: index } = payload;
      switch (type) {
        case 'messageStart':
          choice.begin();
          break;
        case 'contentBlockStart':
          startBlock(output, index, objectOf(payload.start));
          break;
        case 'contentBlockDelta':
          readDelta(output, index, objectOf(payload.delta));
          break;
        case 'contentBlockStop':
          endBlock(output, index);
          break;
        case 'messageStop':
          if (!output.called) choice.text(output.held);
          choice.finish(finishReasons[textOf(payload.stopReason)] ?? 'stop');
          arrived.finish = true;
          break;
        case 'metadata':
          readMetadata(sink, payload);
          arrived.usage = true;
      }
    },
    isComplete: () => arrived.finish && arrived.usage,
  };
}

/** Calls of Bedrock's own tools (`server_tool_use`) and their results are left out. */
function startBlock(output: Output, index: unknown, { toolUse }: JsonObject): void {
  if (!isJsonObject(toolUse)) return;
  const { choice, answerTool, open } = output;
  const { toolUseId, name, type } = toolUse;
  output.thoughts.end();
  if (type === 'server_tool_use') return;
  output.called = true;
  if (name === answerTool) open.set(index, { kind: 'answer', isEmpty: true });
  else
    open.set(index, { kind: 'call', call: choice.toolCall({ id: textOf(toolUseId), name: textOf(name) }) });
}

/** Citations are left out; the text that they refer to comes with them. */
function readDelta(output: Output, index: unknown, { text, toolUse, reasoningContent }: JsonObject): void {
  writeText(output, textOf(text));
  if (isJsonObject(reasoningContent)) readThought(output, index, reasoningContent);
  const block = output.open.get(index);
  const input = isJsonObject(toolUse) ? textOf(toolUse.input) : '';
  if (block?.kind === 'call') block.call.arguments(input);
  if (block?.kind !== 'answer') return;
  block.isEmpty &&= input === '';
  output.choice.text(input);
}

/** Blank texts are not sent back, so that they do not separate thoughts. */
function writeText(output: Output, text: string): void {
  if (text.trim() !== '') output.thoughts.end();
  if (output.answerTool === null) output.choice.text(text);
  else output.held += text;
}

function readThought(
  { choice, thoughts, open }: Output,
  index: unknown,
  { text, signature, redactedContent }: JsonObject,
): void {
  const data = textOf(redactedContent);
  if (data !== '') {
    thoughts.put({ type: 'redacted_thinking', data });
    return;
  }
  const known = open.get(index);
  const thought = known?.kind === 'thought' ? known : { kind: 'thought' as const, text: '', signature: '' };
  thought.text += textOf(text);
  thought.signature += textOf(signature);
  open.set(index, thought);
  choice.reasoning(textOf(text));
}

/** A completion in JSON without properties comes without any arguments. */
function endBlock({ choice, thoughts, open }: Output, index: unknown): void {
  const block = open.get(index);
  open.delete(index);
  if (block?.kind === 'answer' && block.isEmpty) choice.text('{}');
  if (block?.kind !== 'thought') return;
  const { text: thinking, signature } = block;
  thoughts.put({ type: 'thinking', thinking, signature });
}

/** A prompt router reports the model that it chose. */
function readMetadata(sink: CompletionSink, { usage, trace }: JsonObject): void {
  const tokens = usageOf(usage);
  if (tokens !== null) sink.usage(tokens);
  const { invokedModelId } = objectOf(objectOf(trace).promptRouter);
  if (typeof invokedModelId === 'string') sink.identify({ model: invokedModelId });
}

/**
 * `null` when nothing was counted. Input, cache reads and cache writes do not overlap; thinking is part of the output, at
 * an unknown share. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
function usageOf(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const input = readTokenCount(usage.inputTokens);
  const output = readTokenCount(usage.outputTokens);
  if (input === null && output === null) return null;
  const details = objectsIn(usage.cacheDetails);
  const written = (ttl: string) =>
    details
      .filter((detail) => detail.ttl === ttl)
      .reduce((total, { inputTokens }) => total + (readTokenCount(inputTokens) ?? 0), 0);
  return {
    ...noUsage,
    freshInputTokens: input ?? 0,
    cachedInputTokens: readTokenCount(usage.cacheReadInputTokens) ?? 0,
    ...cacheWriteUsage({
      total: readTokenCount(usage.cacheWriteInputTokens),
      fiveMinutes: written('5m'),
      hour: written('1h'),
    }),
    outputTokens: output ?? 0,
  };
}

/**
 * Any other reason is a `stop`, such as a stop sequence; with `malformed_tool_use` there is no call.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_MessageStopEvent.html
 */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  // Claude's own reason, which the list does not have.
  refusal: 'content_filter',
};

/** Splits a non-streaming response into the events of a stream. */
export function eventsOfResponse({ output, stopReason, usage, trace }: JsonObject): [string, JsonObject][] {
  const { content } = objectOf(objectOf(output).message);
  const blocks = objectsIn(content);
  return [
    ['messageStart', {}],
    ...blocks.flatMap((block, index) => eventsOfBlock(block, index)),
    ['messageStop', { stopReason }],
    ['metadata', { usage, trace }],
  ];
}

function eventsOfBlock(block: JsonObject, contentBlockIndex: number): [string, JsonObject][] {
  const delta = (delta: JsonObject): [string, JsonObject] => [
    'contentBlockDelta',
    { contentBlockIndex, delta },
  ];
  const { text, toolUse } = block;
  const { reasoningText, redactedContent } = objectOf(block.reasoningContent);
  const { content: cited } = objectOf(block.citationsContent);
  const events: [string, JsonObject][] = [];
  if (typeof text === 'string') events.push(delta({ text }));
  events.push(...objectsIn(cited).map(delta));
  if (isJsonObject(reasoningText)) events.push(delta({ reasoningContent: reasoningText }));
  if (redactedContent !== undefined) events.push(delta({ reasoningContent: { redactedContent } }));
  if (isJsonObject(toolUse)) {
    events.push(['contentBlockStart', { contentBlockIndex, start: { toolUse } }]);
    events.push(delta({ toolUse: { input: JSON.stringify(toolUse.input ?? {}) } }));
  }
  return [...events, ['contentBlockStop', { contentBlockIndex }]];
}
