/** The public addresses of an upload: from configuration, never from what a client says our name is. */
export interface UploadAddresses {
  page(id: string): string;
  file(id: string, extension: string): string;
  deletion(id: string, key: string): string;
}

export function uploadAddresses(origin: string): UploadAddresses {
  return {
    page: (id) => `${origin}/${id}`,
    file: (id, extension) => `${origin}/f/${id}${extension && `.${extension}`}`,
    deletion: (id, key) => `${origin}/d/${id}/${key}`,
  };
}
