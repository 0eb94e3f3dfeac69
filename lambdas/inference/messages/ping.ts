/** The event that tells clients that the model is still working. https://platform.claude.com/docs/en/build-with-claude/streaming */
export const pingEvent = Buffer.from('event: ping\ndata: {"type": "ping"}\n\n');
