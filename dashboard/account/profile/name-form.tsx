import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { patch } from '#dashboard/api/client.ts';
import { Button } from '#dashboard/components/button.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Form } from '#dashboard/components/form.tsx';
import { TextField } from '#dashboard/components/text-field.tsx';
import type { Account } from '#lambdas/accounts/sign-in/responses.ts';
import { applyAccount } from '../apply-account.ts';

const maxCharacters = 100;

export function NameForm({ name }: { name: string | null }) {
  const queryClient = useQueryClient();
  const [value, setValue] = useState(name ?? '');
  const save = useMutation({
    mutationFn: (newName: string) => patch<Account>('/account', { name: newName }),
    onSuccess: (account) => {
      applyAccount(queryClient, account);
      notifySuccess('Your name has been saved');
    },
  });
  const newName = value.trim();

  return (
    <Form
      fields={['name']}
      error={save.error}
      onSubmit={() => save.mutate(newName)}
      className="flex w-full items-start gap-2 sm:w-80"
    >
      <TextField
        label="Name"
        hiddenLabel
        name="name"
        value={value}
        onValueChange={setValue}
        autoComplete="name"
        maxLength={maxCharacters}
        placeholder="Your name"
        validate={(text) => (text.trim() === '' ? 'Enter your name' : null)}
      />
      <Button type="submit" pending={save.isPending} disabled={newName === (name ?? '')}>
        Save
      </Button>
    </Form>
  );
}
