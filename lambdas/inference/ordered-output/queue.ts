/** Writes parts in the order in which they begin, one at a time: what arrives for a later one waits until its turn. */
import type { PartDelta, PartWriter } from './format.ts';

interface OutputQueue {
  /** `isComplete` tells whether the part can end before the next one begins. */
  add(writer: PartWriter, isComplete: () => boolean): QueuedPart;
  /** Ends the complete parts that others follow. */
  advance(): void;
  /** Ends all parts. */
  close(isCutOff: boolean): void;
}

export interface QueuedPart {
  write(delta: PartDelta): void;
}

interface WaitingPart {
  writer: PartWriter;
  isComplete(): boolean;
  deltas: PartDelta[];
}

export function createOutputQueue(): OutputQueue {
  /** The first one is open. */
  const queue: WaitingPart[] = [];
  const open = ({ writer, deltas }: WaitingPart) => {
    writer.open();
    for (const delta of deltas) writer.write(delta);
  };
  const endFirst = (isCutOff: boolean) => {
    queue.shift()?.writer.close(isCutOff);
    const [next] = queue;
    if (next !== undefined) open(next);
  };
  const advance = () => {
    while (queue.length > 1 && queue[0]?.isComplete()) endFirst(false);
  };
  return {
    add(writer, isComplete) {
      const part: WaitingPart = { writer, isComplete, deltas: [] };
      queue.push(part);
      if (queue.length === 1) open(part);
      else advance();
      return {
        write(delta) {
          if (queue[0] === part) writer.write(delta);
          else part.deltas.push(delta);
        },
      };
    },
    advance,
    close(isCutOff) {
      while (queue.length > 0) endFirst(isCutOff && queue.length === 1);
    },
  };
}
