import { useMutation, useQueryClient } from '@tanstack/react-query';
import { patch } from '#dashboard/api/client.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { NameForm } from '#dashboard/components/forms/name-form.tsx';
import type { Account } from '#lambdas/accounts/sign-in/responses.ts';
import { applyAccount } from '../apply-account.ts';

export function OwnName({ name }: { name: string | null }) {
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (newName: string) => patch<Account>('/account', { name: newName }),
    onSuccess: (account) => {
      applyAccount(queryClient, account);
      notifySuccess('Your name has been saved');
    },
  });
  return (
    <NameForm
      name={name}
      autoComplete="name"
      placeholder="Your name"
      emptyMessage="Enter your name"
      error={save.error}
      isPending={save.isPending}
      onSave={save.mutate}
    />
  );
}
