/**
 * What Lambda starts Node with, by the memory of the function: a young generation of a twentieth, an old one of nine tenths.
 * `/var/runtime/bootstrap` in https://gallery.ecr.aws/lambda/nodejs
 */
export function lambdaFlags(memoryMb: number): string[] {
  return [
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${Math.floor(memoryMb / 20)}`,
    `--max-old-space-size=${Math.ceil(memoryMb * 0.9)}`,
  ];
}

/** The memory that comes with one whole processor: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
const wholeProcessorMb = 1769;

export function processorShare(memoryMb: number): number {
  return memoryMb / wholeProcessorMb;
}
