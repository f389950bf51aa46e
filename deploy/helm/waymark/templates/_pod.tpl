{{/* The pod template of a component. */}}
{{- define "waymark.pod" -}}
{{- $values := .root.Values -}}
{{- $own := .values -}}
{{- $isEdge := eq .key "edge" -}}
{{- $service := include "waymark.service" . | fromJson -}}
{{- $environment := include "waymark.environment" . | fromYaml -}}
{{- $secrets := include "waymark.secrets" . | trim -}}
{{- $checkpoints := and (has "WAYMARK_CHECKPOINTS_TO" $service.chart) (eq (get $environment "WAYMARK_CHECKPOINTS_TO") (include "waymark.checkpointsPath" .)) -}}
metadata:
  labels:
    {{- toYaml (mergeOverwrite (dict) (default dict $values.commonLabels) (default dict $own.labels) (include "waymark.selector" . | fromYaml)) | nindent 4 }}
  {{- with mergeOverwrite (dict) (default dict $values.commonAnnotations) (default dict $own.annotations) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "waymark.serviceAccountName" .root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with default $values.imagePullSecrets $own.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext: {{- toYaml $values.podSecurityContext | nindent 4 }}
  terminationGracePeriodSeconds: {{ include "waymark.graceSeconds" . }}
  {{- with $own.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $own.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with include "waymark.spread" . | trim }}
  topologySpreadConstraints: {{- . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .key | kebabcase }}
      image: {{ include "waymark.image" . | quote }}
      imagePullPolicy: {{ default $values.image.pullPolicy (default dict $own.image).pullPolicy }}
      args: [{{ $service.name }}]
      terminationMessagePolicy: FallbackToLogsOnError
      securityContext: {{- include "waymark.containerSecurity" . | nindent 8 }}
      ports:
        {{- if .api }}
        - {name: http, containerPort: 8080}
        {{- end }}
        {{- if not $isEdge }}
        - {name: operator, containerPort: 8081}
        {{- end }}
      env:
        {{- range $name, $value := $environment }}
        - {name: {{ $name }}, value: {{ $value | quote }}}
        {{- end }}
        {{- if eq .key "operator" }}
        - {name: TMPDIR, value: {{ include "waymark.verificationPath" . }}}
        {{- end }}
        {{- if has "WAYMARK_EDGE_WORKERS" $service.chart }}
        - {name: WAYMARK_EDGE_WORKERS, valueFrom: {resourceFieldRef: {resource: requests.cpu, divisor: "1"}}}
        {{- end }}
        {{- if has "WAYMARK_MEMORY_MB" $service.chart }}
        - {name: WAYMARK_MEMORY_MB, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}
        {{- end }}
        {{- with $own.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- include "waymark.probes" . | nindent 6 }}
      resources:
        {{- $resources := default dict $own.resources }}
        limits: {{- toYaml $resources.limits | nindent 10 }}
        requests: {{- toYaml (merge (dict "memory" $resources.limits.memory) (default dict $resources.requests)) | nindent 10 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- if $isEdge }}
        - {name: state, mountPath: {{ include "waymark.edgePath" . }}}
        {{- end }}
        {{- if eq .key "operator" }}
        - {name: verification, mountPath: {{ include "waymark.verificationPath" . }}}
        {{- end }}
        {{- if $secrets }}
        - {name: secrets, mountPath: {{ include "waymark.secretsPath" . }}, readOnly: true}
        {{- end }}
        {{- if hasKey $environment "WAYMARK_TLS_CA_FILE" }}
        - {name: authorities, mountPath: {{ include "waymark.authoritiesPath" . }}, readOnly: true}
        {{- end }}
        {{- if eq .kind "StatefulSet" }}
        - {name: data, mountPath: {{ include "waymark.dataPath" . }}}
        {{- end }}
        {{- if $checkpoints }}
        - {name: checkpoints, mountPath: {{ include "waymark.checkpointsPath" . }}{{ if eq .key "operator" }}, readOnly: true{{ end }}}
        {{- end }}
        {{- with $own.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {medium: Memory, sizeLimit: {{ $own.tmpSize }}}
    {{- if $isEdge }}
    - name: state
      emptyDir: {medium: Memory, sizeLimit: {{ $own.tmpSize }}}
    {{- end }}
    {{- if eq .key "operator" }}
    - name: verification
      emptyDir: {sizeLimit: {{ $own.verificationSize }}}
    {{- end }}
    {{- if $secrets }}
    - name: secrets
      projected:
        defaultMode: 0440
        sources: {{- $secrets | nindent 10 }}
    {{- end }}
    {{- if hasKey $environment "WAYMARK_TLS_CA_FILE" }}
    - name: authorities
      configMap:
        name: {{ $values.authorities.existingConfigMap }}
        items: [{key: {{ $values.authorities.entry | quote }}, path: ca.crt}]
    {{- end }}
    {{- if and (eq .kind "StatefulSet") $own.persistence.existingClaim }}
    - name: data
      persistentVolumeClaim: {claimName: {{ $own.persistence.existingClaim }}}
    {{- end }}
    {{- if $checkpoints }}
    - name: checkpoints
      persistentVolumeClaim: {claimName: {{ $values.notary.checkpointsTo.existingClaim }}}
    {{- end }}
    {{- with $own.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "waymark.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: {drop: [ALL]}
{{- end -}}

{{/* Readiness asks for nothing that an engine decides, so that an engine that is unavailable takes no pod out of its Service. */}}
{{- define "waymark.probes" -}}
{{- $startup := div (int .root.Values.startupSeconds) 2 -}}
{{- if eq .key "edge" -}}
startupProbe: {tcpSocket: {port: http}, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: {{ $startup }}}
readinessProbe: {tcpSocket: {port: http}, periodSeconds: 5, timeoutSeconds: 5}
livenessProbe: {tcpSocket: {port: http}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6}
{{- else -}}
startupProbe: {httpGet: {path: /livez, port: operator}, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: {{ $startup }}}
readinessProbe: {httpGet: {path: /servez, port: operator}, periodSeconds: 5, timeoutSeconds: 5}
livenessProbe: {httpGet: {path: /livez, port: operator}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6}
{{- end -}}
{{- end -}}

{{/* Pods of one component are spread over nodes and zones, as well as it can be done. */}}
{{- define "waymark.spread" -}}
{{- if .values.topologySpreadConstraints -}}
{{- toYaml .values.topologySpreadConstraints -}}
{{- else if eq .kind "Deployment" -}}
{{- $context := . -}}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "waymark.selector" $context | nindent 6 }}
  {{- if semverCompare ">=1.27-0" (include "waymark.kubeVersion" $context.root) }}
  matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}
{{- end -}}
{{- end -}}
