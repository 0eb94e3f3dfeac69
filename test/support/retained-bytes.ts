/** How many bytes this process holds once all that can be freed is: those of the heap and those of its buffers. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

export function retainedBytes(): number {
  // What a first run has found is freed beside the program: the second one waits for it.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
