import { describe, expect, it } from 'vitest';
import { lambdaFlags, processorShare } from '#bench/shared/lambda-flags.ts';

describe('the environment that Lambda gives', () => {
  it('bounds the heap by the memory', () => {
    expect(lambdaFlags(128).slice(-2)).toEqual(['--max-semi-space-size=6', '--max-old-space-size=116']);
    expect(lambdaFlags(256).slice(-2)).toEqual(['--max-semi-space-size=12', '--max-old-space-size=231']);
  });

  it('has a processor at 1,769 MB, and less of it with less', () => {
    expect(processorShare(1769)).toBe(1);
    expect(processorShare(128)).toBe(128 / 1769);
  });
});
