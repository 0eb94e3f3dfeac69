/** Writes parts in the order in which they begin, one at a time: what arrives for a later one waits until its turn. */
import type { PartDelta, PartWriter } from './format.ts';

interface OutputQueue {
  add(part: NewQueuedPart): QueuedPart;
  /** Ends the complete parts that others follow, unless one is invalid. */
  advance(): void;
  /** Ends all parts, up to the first invalid one of an output that was not cut off. */
  close(isCutOff: boolean): void;
}

interface NewQueuedPart {
  writer: PartWriter;
  /** Whether the part can end before the next one begins. */
  isComplete(): boolean;
  /** Called when all of an open part has been written. */
  isValid(): boolean;
}

export interface QueuedPart {
  write(delta: PartDelta): void;
}

interface WaitingPart extends NewQueuedPart {
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
    while (queue.length > 1 && queue[0]?.isComplete() && queue[0].isValid()) endFirst(false);
  };
  return {
    add(added) {
      const part: WaitingPart = { ...added, deltas: [] };
      queue.push(part);
      if (queue.length === 1) open(part);
      else advance();
      return {
        write(delta) {
          if (queue[0] === part) part.writer.write(delta);
          else part.deltas.push(delta);
        },
      };
    },
    advance,
    close(isCutOff) {
      while (queue.length > 0) {
        if (!isCutOff && !queue[0]?.isValid()) return;
        endFirst(isCutOff && queue.length === 1);
      }
    },
  };
}
