/** Writes a completion in Anthropic's format, as the events of a stream or as a whole message. */
import { isOver, type ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { writeSignature } from '#lambdas/inference/completion/signatures.ts';
import type {
  NewPart,
  OrderedFormat,
  PartDelta,
  PartWriter,
} from '#lambdas/inference/ordered-output/format.ts';
import { createOrderedWriter } from '#lambdas/inference/ordered-output/writer.ts';
import type { CreateWriter, ProviderCall } from '#lambdas/inference/providers/provider.ts';
import type { BlockDelta, ContentBlock, MessageEvent, MessageOutput } from './events.ts';
import { createMessageBuilder } from './message.ts';
import { stopOf } from './stop-reason.ts';
import { createMessageStream } from './stream.ts';
import { toMessageUsage, toWholeUsage } from './usage.ts';

export interface RequestedMessage {
  stream: boolean;
  stopSequences: readonly string[];
  estimateInputTokens(): number;
}

export function createMessagesWriter(requested: RequestedMessage): CreateWriter {
  const { stream, estimateInputTokens } = requested;
  return (call, facts) =>
    createOrderedWriter({
      call,
      facts,
      stream,
      format: createMessageFormat(call, facts, requested),
      estimateInputTokens,
    });
}

function createMessageFormat(
  { provider, requestId }: ProviderCall,
  facts: ReaderFacts,
  { stream, stopSequences }: RequestedMessage,
): OrderedFormat {
  const output: MessageOutput = stream ? createMessageStream(facts) : createMessageBuilder(facts);
  const write = (event: MessageEvent) => {
    if (!isOver(facts)) output.write(event);
  };
  let blocks = 0;
  return {
    noun: 'a message',
    refusalKind: 'text',
    start({ model, usage }) {
      // Claude Code joins messages with the same id, which some servers give to all of theirs.
      facts.responseId = `msg_${requestId}`;
      write({
        type: 'message_start',
        message: {
          id: facts.responseId,
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          container: null,
          diagnostics: null,
          stop_details: null,
          stop_reason: null,
          stop_sequence: null,
          usage: toWholeUsage(usage, facts.serviceTier),
        },
      });
    },
    begin(part): PartWriter {
      let index = 0;
      return {
        open() {
          index = blocks;
          blocks += 1;
          write({ type: 'content_block_start', index, content_block: blockOf(part) });
        },
        write: (delta) => write({ type: 'content_block_delta', index, delta: deltaOf(part, delta) }),
        close: () => write({ type: 'content_block_stop', index }),
      };
    },
    signatureOf: (owner, payload) =>
      payload?.format === 'anthropic' ? payload.data : writeSignature({ provider, owner, payload }),
    end(ending) {
      const stop = stopOf({ ...ending, stopSequences });
      const isRefused = stop.stop_reason === 'refusal';
      write({
        type: 'message_delta',
        delta: {
          container: null,
          stop_details: isRefused ? { type: 'refusal', category: null, explanation: null } : null,
          ...stop,
        },
        usage: toMessageUsage(ending.usage),
      });
      write({ type: 'message_stop' });
    },
    ping: output.ping,
    take: output.take,
  };
}

function blockOf(part: NewPart): ContentBlock {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: '', citations: null };
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted':
      return { type: 'redacted_thinking', data: part.signature };
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input: {}, caller: { type: 'direct' } };
    default:
      return part satisfies never;
  }
}

function deltaOf({ kind: partKind }: NewPart, { kind, text }: PartDelta): BlockDelta {
  if (kind === 'signature') return { type: 'signature_delta', signature: text };
  if (partKind === 'reasoning') return { type: 'thinking_delta', thinking: text };
  return partKind === 'call'
    ? { type: 'input_json_delta', partial_json: text }
    : { type: 'text_delta', text };
}
