/** Writes blocks in the order in which they begin, one at a time: what arrives for a later one waits until its turn. */
import type { BlockDelta, BlockEvent, ContentBlock } from './events.ts';

interface BlockQueue {
  /** `isComplete` tells whether the block can end before the next one begins. */
  add(start: ContentBlock, isComplete: () => boolean): QueuedBlock;
  /** Ends the complete blocks that others follow. */
  advance(): void;
  /** Ends all blocks. */
  close(): void;
}

export interface QueuedBlock {
  write(delta: BlockDelta): void;
}

interface WaitingBlock {
  start: ContentBlock;
  isComplete(): boolean;
  deltas: BlockDelta[];
}

export function createBlockQueue(write: (event: BlockEvent) => void): BlockQueue {
  /** The first one is open. */
  const queue: WaitingBlock[] = [];
  let index = 0;
  const open = ({ start, deltas }: WaitingBlock) => {
    write({ type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) write({ type: 'content_block_delta', index, delta });
  };
  const endFirst = () => {
    write({ type: 'content_block_stop', index });
    queue.shift();
    index += 1;
    const [next] = queue;
    if (next !== undefined) open(next);
  };
  const advance = () => {
    while (queue.length > 1 && queue[0]?.isComplete()) endFirst();
  };
  return {
    add(start, isComplete) {
      const block: WaitingBlock = { start, isComplete, deltas: [] };
      queue.push(block);
      if (queue.length === 1) open(block);
      else advance();
      return {
        write(delta) {
          if (queue[0] === block) write({ type: 'content_block_delta', index, delta });
          else block.deltas.push(delta);
        },
      };
    },
    advance,
    close() {
      while (queue.length > 0) endFirst();
    },
  };
}
