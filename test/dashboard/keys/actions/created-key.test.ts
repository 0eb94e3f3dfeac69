import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#dashboard/api/client.ts';
import { CreatedKey, createdKeyId } from '#dashboard/keys/actions/created-key.tsx';
import { texts } from '#test/dashboard/rendering/markup.ts';
import { renderOnPage } from '#test/dashboard/rendering/page.ts';

const ignore = () => {};

describe('A key whose response was lost', () => {
  it('is named by the error of the next try alone', () => {
    expect(createdKeyId(new ApiError('Created already', 409, null, 'conflict', 'key_1'))).toBe('key_1');
    expect(createdKeyId(new ApiError('Rotated by somebody else', 409, null, 'conflict'))).toBeNull();
    expect(createdKeyId(new Error('Created already'))).toBeNull();
    expect(createdKeyId(null)).toBeNull();
  });

  it('can be rotated, since it cannot be shown', async () => {
    const shown = await renderOnPage(
      createElement(CreatedKey, {
        keyId: 'key_1',
        message: 'The key exists, but cannot be shown again.',
        onIssued: ignore,
        onCancel: ignore,
      }),
    );
    expect(texts(shown, '[role=alert]')).toEqual(['The key exists, but cannot be shown again.']);
    expect(texts(shown, 'button')).toEqual(['Cancel', 'Rotate it']);
  });
});
