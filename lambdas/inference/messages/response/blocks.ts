/** Writes text, thinking and calls as the content blocks of a message. */
import type { ToolCallSink } from '#lambdas/inference/completion/sink.ts';
import { createBlockQueue, type QueuedBlock } from './block-queue.ts';
import type { BlockEvent, ContentBlock } from './events.ts';
import { createToolInput } from './tool-input.ts';

interface ContentBlocks {
  /** Blank text alone is no block, since the API refuses it in the next request. */
  text(delta: string): void;
  thinking(delta: string): void;
  /** Ends the thinking just written, or adds a block for the signature alone. */
  sign(signature: string): void;
  /** Ends the text or the thinking just written. */
  end(): void;
  redacted(data: string): void;
  call(call: { id: string; name: string; mayContinueName: boolean }): ToolCallSink;
  /** Ends all blocks. Returns the name of a called tool whose input is no JSON object; `null` if there is none. */
  close(): string | null;
}

interface BlocksOptions {
  write(event: BlockEvent): void;
  /** The signature of thinking that the provider does not sign: the API requires one. */
  ownSignature(): string;
}

export function createContentBlocks({ write, ownSignature }: BlocksOptions): ContentBlocks {
  const queue = createBlockQueue(write);
  const calls: { name(): string; isValid(): boolean }[] = [];
  /** The block to which more of its kind is added. */
  let last: { kind: 'text' | 'thinking'; block: QueuedBlock } | null = null;
  let blankText = '';
  /** Begins the call whose name may continue. */
  let beginCall: (() => void) | null = null;

  const end = () => {
    beginCall?.();
    beginCall = null;
    blankText = '';
    if (last?.kind === 'thinking') last.block.write(signatureDelta(ownSignature()));
    last = null;
  };
  const add = (start: ContentBlock, isComplete = () => true): QueuedBlock => {
    end();
    return queue.add(start, isComplete);
  };
  const addThinking = () => add({ type: 'thinking', thinking: '', signature: '' });
  return {
    text(delta) {
      if (last?.kind === 'text') return last.block.write({ type: 'text_delta', text: delta });
      blankText += delta;
      if (delta.trim() === '') return;
      const text = blankText;
      last = { kind: 'text', block: add({ type: 'text', text: '', citations: null }) };
      last.block.write({ type: 'text_delta', text });
    },
    thinking(delta) {
      blankText = '';
      if (last?.kind !== 'thinking') last = { kind: 'thinking', block: addThinking() };
      last.block.write({ type: 'thinking_delta', thinking: delta });
    },
    sign(signature) {
      const block = last?.kind === 'thinking' ? last.block : addThinking();
      block.write(signatureDelta(signature));
      last = null;
    },
    end,
    redacted(data) {
      add({ type: 'redacted_thinking', data });
    },
    call({ id, name: firstName, mayContinueName }) {
      end();
      const input = createToolInput();
      let name = firstName;
      let block: QueuedBlock | null = null;
      const begin = (): QueuedBlock => {
        const start: ContentBlock = { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } };
        block ??= queue.add(start, input.isComplete);
        return block;
      };
      calls.push({ name: () => name, isValid: input.isValid });
      if (mayContinueName) beginCall = begin;
      else begin();
      return {
        name(delta) {
          name += delta;
        },
        arguments(delta) {
          if (delta === '') return;
          if (beginCall === begin) beginCall = null;
          const open = begin();
          const text = input.push(delta);
          if (text !== '') open.write({ type: 'input_json_delta', partial_json: text });
          queue.advance();
        },
      };
    },
    close() {
      end();
      queue.close();
      return calls.find(({ isValid }) => !isValid())?.name() ?? null;
    },
  };
}

function signatureDelta(signature: string) {
  return { type: 'signature_delta', signature } as const;
}
