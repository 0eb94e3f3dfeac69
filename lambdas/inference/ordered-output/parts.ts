/** Writes text, reasoning and calls as parts of an ordered output. */

import type { ToolCallSink } from '../completion/sink.ts';
import type { ToolName } from '../completion/tools.ts';
import type { NewPart, OrderedFormat } from './format.ts';
import { createOutputQueue, type QueuedPart } from './queue.ts';
import { createToolInput } from './tool-input.ts';

interface OutputParts {
  /** Blank text alone is no part, since providers refuse it in the next request. */
  text(kind: 'text' | 'refusal', delta: string): void;
  reasoning(delta: string): void;
  /** Ends the reasoning just written, or adds a part for the signature alone. */
  sign(signature: string): void;
  /** Ends the text or the reasoning just written. */
  end(): void;
  redacted(signature: string): void;
  call(call: ToolName & { id: string; mayContinueName: boolean }): ToolCallSink;
  /** Ends all parts. Returns the name of a called tool whose arguments are invalid; `null` if there is none. */
  close(isCutOff: boolean): string | null;
}

type TextKind = 'text' | 'refusal' | 'reasoning';

interface PartsOptions extends Pick<OrderedFormat, 'begin'> {
  /** The signature of reasoning that the provider does not sign. */
  ownSignature(): string;
}

export function createOutputParts({ begin, ownSignature }: PartsOptions): OutputParts {
  const queue = createOutputQueue();
  const calls: { name(): string; isValid(): boolean }[] = [];
  /** The part to which more of its kind is added. */
  let last: { kind: TextKind; part: QueuedPart } | null = null;
  let blankText = '';
  let blankKind: TextKind | null = null;
  /** Begins the call whose name may continue. */
  let beginCall: (() => void) | null = null;

  const end = () => {
    beginCall?.();
    beginCall = null;
    blankText = '';
    if (last?.kind === 'reasoning') last.part.write({ kind: 'signature', text: ownSignature() });
    last = null;
  };
  const add = (part: NewPart): QueuedPart => {
    end();
    return queue.add({ writer: begin(part), isComplete: () => true, isValid: () => true });
  };
  const write = (kind: TextKind, text: string) => {
    if (last?.kind !== kind) last = { kind, part: add({ kind }) };
    last.part.write({ kind: 'text', text });
  };
  return {
    text(kind, delta) {
      if (last?.kind === kind) return write(kind, delta);
      blankText = blankKind === kind ? blankText + delta : delta;
      blankKind = kind;
      if (delta.trim() !== '') write(kind, blankText);
    },
    reasoning(delta) {
      blankText = '';
      write('reasoning', delta);
    },
    sign(signature) {
      const part = last?.kind === 'reasoning' ? last.part : add({ kind: 'reasoning' });
      part.write({ kind: 'signature', text: signature });
      last = null;
    },
    end,
    redacted(signature) {
      add({ kind: 'redacted', signature });
    },
    call({ id, name: firstName, namespace, mayContinueName }) {
      end();
      const input = createToolInput();
      let name = firstName;
      let part: QueuedPart | null = null;
      let hasValidArguments = () => true;
      const beginPart = (): QueuedPart => {
        if (part !== null) return part;
        const writer = begin({ kind: 'call', id, name, namespace });
        hasValidArguments = () => writer.hasValidArguments?.() ?? true;
        part = queue.add({ writer, isComplete: input.isComplete, isValid });
        return part;
      };
      let validity: boolean | null = null;
      const isValid = () => {
        validity ??= input.isValid() && hasValidArguments();
        return validity;
      };
      calls.push({ name: () => name, isValid });
      if (mayContinueName) beginCall = beginPart;
      else beginPart();
      return {
        name(delta) {
          name += delta;
        },
        arguments(delta) {
          if (delta === '') return;
          if (beginCall === beginPart) beginCall = null;
          const begun = beginPart();
          const text = input.push(delta);
          if (text !== '') begun.write({ kind: 'text', text });
          queue.advance();
        },
      };
    },
    close(isCutOff) {
      end();
      queue.close(isCutOff);
      return calls.find(({ isValid }) => !isValid())?.name() ?? null;
    },
  };
}
