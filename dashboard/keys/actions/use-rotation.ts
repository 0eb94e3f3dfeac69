import { useMutation, useQueryClient } from '@tanstack/react-query';
import { post } from '#dashboard/api/client.ts';
import { keyPath } from '#dashboard/api/keys.ts';
import { useIdempotencyKey } from '#dashboard/components/forms/idempotency.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { IssuedKey } from '#dashboard/issued-key/issued-key.ts';
import { applyKeys } from '../apply-changes.ts';

interface Rotation {
  keyId: string;
  /** 0 ends the old key at once. */
  overlapSeconds: number;
}

/** Replaces a key by a new one, which is shown. */
export function useRotation(onIssued: (issued: IssuedKey) => void) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  const idempotency = useIdempotencyKey();
  return useMutation({
    // Returns nothing, since the mutation's cache would keep the key.
    mutationFn: async ({ keyId, overlapSeconds }: Rotation) => {
      const body = { overlap_seconds: overlapSeconds };
      const { api_key, key, replaced } = await idempotency.send((idempotencyKey) =>
        post(keyPath(organizationId, keyId, '/rotation'), body, { idempotencyKey }),
      );
      onIssued({ apiKey: api_key, key, replaced });
      applyKeys(queryClient, organizationId, api_key, replaced);
    },
  });
}
