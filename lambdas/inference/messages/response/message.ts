/** Builds a whole message from its events. https://platform.claude.com/docs/en/api/messages/create */
import type { ReaderFacts } from '#lambdas/inference/completion/facts.ts';
import { parseToolInput } from '#lambdas/inference/ordered-output/tool-input.ts';
import { serialize } from '#lambdas/inference/providers/serialize.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { BlockDelta, ContentBlock, MessageEvent, MessageOutput } from './events.ts';
import { toWholeUsage } from './usage.ts';

const noBytes = Buffer.alloc(0);

export function createMessageBuilder(facts: Pick<ReaderFacts, 'usage' | 'serviceTier'>): MessageOutput {
  const content: BlockDraft[] = [];
  let message: JsonObject = {};
  let body = noBytes;
  const read = (event: MessageEvent): void => {
    switch (event.type) {
      case 'message_start':
        message = event.message;
        break;
      case 'content_block_start':
        content.push({ start: event.content_block, texts: [], signature: '' });
        break;
      case 'content_block_delta':
        addDelta(content.at(-1), event.delta);
        break;
      case 'content_block_stop':
        break;
      case 'message_delta': {
        const usage = { ...toWholeUsage(facts.usage ?? noUsage, facts.serviceTier), ...event.usage };
        message = { ...message, ...event.delta, content: content.map(toBlock), usage };
        break;
      }
      case 'message_stop':
        body = Buffer.from(serialize(message));
        break;
      default:
        event satisfies never;
    }
  };
  return {
    write: read,
    ping() {},
    take() {
      const bytes = body;
      body = noBytes;
      return bytes;
    },
  };
}

interface BlockDraft {
  start: ContentBlock;
  /** Text, thinking, or the JSON of the input, depending on the kind of the block. */
  texts: string[];
  signature: string;
}

function addDelta(draft: BlockDraft | undefined, delta: BlockDelta): void {
  if (draft === undefined) return;
  switch (delta.type) {
    case 'text_delta':
      draft.texts.push(delta.text);
      break;
    case 'thinking_delta':
      draft.texts.push(delta.thinking);
      break;
    case 'input_json_delta':
      draft.texts.push(delta.partial_json);
      break;
    case 'signature_delta':
      draft.signature = delta.signature;
      break;
    default:
      delta satisfies never;
  }
}

function toBlock({ start, texts, signature }: BlockDraft): ContentBlock {
  const text = texts.join('');
  switch (start.type) {
    case 'text':
      return { ...start, text };
    case 'thinking':
      return { ...start, thinking: text, signature };
    case 'tool_use':
      return { ...start, input: parseToolInput(text) };
    case 'redacted_thinking':
      return start;
    default:
      return start satisfies never;
  }
}
