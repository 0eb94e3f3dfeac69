/** Plain data, so that the stack can create the table from it. */

/** The key of the ConversationState table, and the attribute with the time after which DynamoDB deletes an item. */
export const conversationStateSchema = {
  /** `<provider>#<id>`, with the provider's id of a response, an item, a conversation or a container. */
  partitionKey: 'state_id',
  expiry: 'expires_at',
} as const;
