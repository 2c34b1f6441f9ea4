/** The public addresses of an upload. They are made from the configuration, never from the Host of a request. */
export interface UploadAddresses {
  page(id: string): string;
  file(id: string, extension: string): string;
  /** Of the page of a collection; its archive is at the same address with `.zip`. */
  collection(id: string): string;
  deletion(id: string, key: string): string;
  /** The path of the form that reports the file, on the origin of its page. */
  report(id: string): string;
  /** The address of a resumable upload, which its secret is a part of. */
  resumable(secret: string): string;
}

export function uploadAddresses(origin: string): UploadAddresses {
  return {
    page: (id) => `${origin}/${id}`,
    file: (id, extension) => `${origin}/f/${id}${extension && `.${extension}`}`,
    collection: (id) => `${origin}/c/${id}`,
    deletion: (id, key) => `${origin}/d/${id}/${key}`,
    report: (id) => `/r/${id}`,
    resumable: (secret) => `${origin}/files/${secret}`,
  };
}
