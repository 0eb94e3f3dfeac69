import { describe, expect, it } from 'vitest';
import type { CustomCall } from '#lambdas/inference/completion/conversation.ts';
import type { CustomTool, HostedTool } from '#lambdas/inference/completion/tools.ts';
import { refuseForeignTools } from '#lambdas/inference/providers/translation/foreign-tools.ts';
import { callAnthropic } from '#test/support/providers/anthropic/call.ts';
import { expectRejected } from '#test/support/providers/bedrock/call.ts';
import { callGoogle } from '#test/support/providers/google/call.ts';
import {
  assistant,
  call,
  functionTool,
  neutralRequest,
  user,
} from '#test/support/providers/neutral-request.ts';

const customTool: CustomTool = {
  type: 'custom',
  name: 'write',
  namespace: null,
  description: null,
  format: null,
  param: 'tools[1]',
};
const hosted = (api: HostedTool['api']): HostedTool => ({
  type: 'hosted',
  definition: { type: 'web_search' },
  api,
  param: 'tools[0]',
});

describe('refuseForeignTools', () => {
  it('refuses a custom tool, as every native protocol does', async () => {
    const tools = [
      { type: 'function', function: { name: 'a' } },
      { type: 'custom', custom: { name: 'b' } },
    ];
    const expected = {
      code: 'unsupported_parameter',
      param: 'tools[1].type',
      message: 'tools[1].type must be function: this provider does not support custom tools',
    };
    expect(() =>
      refuseForeignTools(neutralRequest({ tools: [functionTool('a'), customTool] }), 'google'),
    ).toThrow(expect.objectContaining(expected));
    await expect(callAnthropic({ tools })).rejects.toMatchObject(expected);
    await expect(callGoogle({ tools })).rejects.toMatchObject(expected);
    expect(await expectRejected({ tools })).toEqual(expected);
  });

  it('refuses a tool that runs at another provider', () => {
    expect(() => refuseForeignTools(neutralRequest({ tools: [hosted('openai')] }), 'bedrock')).toThrow(
      expect.objectContaining({
        code: 'unsupported_parameter',
        param: 'tools[0].type',
        message: 'tools[0] is a tool of the API of openai, which this provider does not have',
      }),
    );
  });

  it('accepts tools of the own API, and those of whichever provider is called', () => {
    const tools = [hosted('bedrock'), hosted(null), functionTool('a')];
    expect(() => refuseForeignTools(neutralRequest({ tools }), 'bedrock')).not.toThrow();
  });

  it('refuses an earlier call of a custom tool', () => {
    const { arguments: _, hasInvalidArguments: __, ...common } = call('c');
    const customCall: CustomCall = { ...common, type: 'custom_call', input: 'x' };
    const turns = [user('Hi'), assistant(call('b'), customCall)];
    expect(() => refuseForeignTools(neutralRequest({ turns }), 'anthropic')).toThrow(
      expect.objectContaining({
        code: 'unsupported_parameter',
        param: 'calls.c',
        message: 'calls.c is a call of a custom tool, which this provider does not support',
      }),
    );
  });
});
