// Sends a file with its progress, which fetch does not tell.

import { ApiError } from "../../api.js";
import { t } from "../../sentences.js";

/** POST a file; `progress` is told the share that is sent, 1 at the end. Throws ApiError. */
export function upload(address, file, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("Content-Type", "application/json");
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.upload.onload = () => progress(1);
    request.onerror = () => reject(new ApiError("unreachable", 0, t("shell.unreachable")));
    request.onload = () => {
      const answer = request.response ?? {};
      if (request.status >= 200 && request.status < 300) return resolve(answer);
      const sentence = answer.response || t("shell.failed", { status: request.status });
      return reject(new ApiError(answer.error?.code ?? "unknown", request.status, sentence, answer.error?.message ?? "", answer));
    };
    request.send(file);
  });
}
