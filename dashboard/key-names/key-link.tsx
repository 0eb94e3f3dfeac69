import { Link } from '@tanstack/react-router';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { parseRangeSearch } from '#dashboard/range/range.ts';

interface KeyLinkProps {
  keyId: string;
  /** Null while it is loading, and of a key that does not exist: the id is shown. */
  name: string | null;
}

/**
 * Leads to the page of a key, for the range of the present view. The name may be any text, so it does not turn around the
 * text beside it.
 */
export function KeyLink({ keyId, name }: KeyLinkProps) {
  const { id: organizationId } = useOrganization();
  return (
    <Link
      to="/organizations/$organizationId/keys/$keyId"
      params={{ organizationId, keyId }}
      search={parseRangeSearch}
      className="rounded-sm wrap-anywhere underline-offset-3 hover:underline"
    >
      <bdi>{name ?? keyId}</bdi>
    </Link>
  );
}
