import { describe, expect, it } from 'vitest';
import type { CustomCall } from '#lambdas/inference/completion/conversation.ts';
import type { CustomTool, HostedTool } from '#lambdas/inference/completion/tools.ts';
import {
  refuseCustomTools,
  withoutForeignHostedTools,
} from '#lambdas/inference/providers/translation/foreign-tools.ts';
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
const hosted = (api: HostedTool['api'], name = 'web_search'): HostedTool => ({
  type: 'hosted',
  definition: { type: `${name}_20250305`, name },
  api,
  param: 'tools[0]',
});

describe('refuseCustomTools', () => {
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
    expect(() => refuseCustomTools(neutralRequest({ tools: [functionTool('a'), customTool] }))).toThrow(
      expect.objectContaining(expected),
    );
    await expect(callAnthropic({ tools })).rejects.toMatchObject(expected);
    await expect(callGoogle({ tools })).rejects.toMatchObject(expected);
    expect(await expectRejected({ tools })).toEqual(expected);
  });

  it('refuses an earlier call of a custom tool', () => {
    const { arguments: _, hasInvalidArguments: __, ...common } = call('c');
    const customCall: CustomCall = { ...common, type: 'custom_call', input: 'x' };
    const turns = [user('Hi'), assistant(call('b'), customCall)];
    expect(() => refuseCustomTools(neutralRequest({ turns }))).toThrow(
      expect.objectContaining({
        code: 'unsupported_parameter',
        param: 'calls.c',
        message: 'calls.c is a call of a custom tool, which this provider does not support',
      }),
    );
  });
});

describe('withoutForeignHostedTools', () => {
  const refusal = {
    code: 'unsupported_parameter',
    param: 'tools[0].type',
    message: 'tools[0] is a tool of the Messages API, which this provider does not have',
  };
  const chosen = { mode: 'function', name: 'web_search', namespace: null } as const;

  it('leaves out and names tools that run at another provider, beside functions', () => {
    const tools = [
      hosted('anthropic'),
      functionTool('a'),
      hosted('anthropic', 'web_fetch'),
      hosted('google'),
    ];
    const { request, ignored } = withoutForeignHostedTools(neutralRequest({ tools }), 'google');
    expect(request.tools).toEqual([functionTool('a'), hosted('google')]);
    expect(ignored).toEqual(['tools.web_search', 'tools.web_fetch']);
  });

  it('returns a request without any as it is', () => {
    const request = neutralRequest({ tools: [hosted('bedrock'), hosted(null), functionTool('a')] });
    expect(withoutForeignHostedTools(request, 'bedrock')).toEqual({ request, ignored: [] });
  });

  it.each([
    ['alone', [hosted('anthropic')], null],
    ['beside others of its kind', [hosted('anthropic'), hosted('openai', 'shell')], null],
    ['chosen', [hosted('anthropic'), functionTool('a')], chosen],
  ])('refuses one that is %s', (_, tools, choice) => {
    const request = neutralRequest({ tools, choice });
    expect(() => withoutForeignHostedTools(request, 'bedrock')).toThrow(expect.objectContaining(refusal));
  });
});
