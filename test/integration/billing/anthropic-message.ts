/** Messages in their non-streaming and their streaming form. */
interface Message {
  model: string;
  usage: Record<string, unknown>;
  content?: object[];
  stopReason?: string;
  stopDetails?: object;
}

const startOnly = ['service_tier', 'speed', 'inference_geo', 'cache_creation'];

/** In a stream, `message_start` has the tier and the first counts, `message_delta` the totals and the iterations. */
export function messageForms({
  model,
  usage,
  content = [{ type: 'text', text: 'Hello' }],
  stopReason = 'end_turn',
  stopDetails,
}: Message) {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model };
  const pick = (names: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(usage).filter(([name]) => names(name)));
  return {
    plain: { ...message, content, stop_reason: stopReason, stop_details: stopDetails, usage },
    stream: [
      {
        type: 'message_start',
        message: {
          ...message,
          content: [],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1, ...pick((name) => startOnly.includes(name)) },
        },
      },
      ...content.flatMap((block, index) => [
        { type: 'content_block_start', index, content_block: block },
        { type: 'content_block_stop', index },
      ]),
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_details: stopDetails },
        usage: pick((name) => !startOnly.includes(name)),
      },
      { type: 'message_stop' },
    ],
  };
}

/** Counts of one entry of `iterations`. */
export const round = (type: string, input: number, output: number, others: object = {}) => ({
  type,
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  ...others,
});
