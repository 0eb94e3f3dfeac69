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
  /** Parts that have ended leave a gap: moving the others would take quadratic time. */
  const queue: (WaitingPart | undefined)[] = [];
  /** The position of the open part. */
  let first = 0;
  const open = ({ writer, deltas }: WaitingPart) => {
    writer.open();
    for (const delta of deltas) writer.write(delta);
  };
  const endFirst = (isCutOff: boolean) => {
    queue[first]?.writer.close(isCutOff);
    queue[first] = undefined;
    first += 1;
    const next = queue[first];
    if (next !== undefined) open(next);
  };
  const isLast = () => first === queue.length - 1;
  const advance = () => {
    while (!isLast() && queue[first]?.isComplete() && queue[first]?.isValid()) endFirst(false);
  };
  return {
    add(added) {
      const part: WaitingPart = { ...added, deltas: [] };
      queue.push(part);
      if (isLast()) open(part);
      else advance();
      return {
        write(delta) {
          if (queue[first] === part) part.writer.write(delta);
          else part.deltas.push(delta);
        },
      };
    },
    advance,
    close(isCutOff) {
      while (first < queue.length) {
        if (!isCutOff && !queue[first]?.isValid()) return;
        endFirst(isCutOff && isLast());
      }
    },
  };
}
